"""model_tests, training_tests: real models, several numbers of GPUs, one test each."""

def model_tests(models, gpus):
    """Declares `<model>_<n>` tests.

    Args:
      models: name -> label of a filegroup; its package holds the files, under the
        group's name unless the package is the model's own.
      gpus: numbers of workers.
    """
    for name, label in models.items():
        package, _, group = label[2:].partition(":")
        folder = package + ("/" + group if group else "")
        for n in gpus:
            native.sh_test(
                name = "%s_%d" % (name, n),
                srcs = ["model.sh"],
                args = [
                    "$(location //tools:smexc)",
                    "$(location //tools:smex-run)",
                    "$(location //tools:compare-npy)",
                    folder,
                    str(n),
                ],
                data = [
                    "inputs_of.sh",
                    "//tools:compare-npy",
                    "//tools:smex-run",
                    "//tools:smexc",
                    label,
                ],
                size = "medium",
            )

def training_tests(models, gpus):
    """Declares `<model>_<n>` tests for models of test/models/training.

    Args:
      models: name -> options of smexc --train.
      gpus: numbers of workers.
    """
    for name, options in models.items():
        for n in gpus:
            native.sh_test(
                name = "%s_%d" % (name, n),
                srcs = ["training.sh"],
                args = [
                    "$(location //tools:smexc)",
                    "$(location //tools:smex-run)",
                    "$(location :training_matches)",
                    "test/models/training/" + name,
                    str(n),
                    options,
                ],
                data = [
                    "inputs_of.sh",
                    ":training_matches",
                    "//test/models:training/" + name,
                    "//tools:smex-run",
                    "//tools:smexc",
                ],
                size = "medium",
            )
