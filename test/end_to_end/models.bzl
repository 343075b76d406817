"""program_test; model_tests, training_tests: real models, several numbers of GPUs, one test each."""

def program_test(name, script, programs, args = [], data = [], size = "medium", **more):
    """Declares a test that runs programs of the project.

    Args:
      name: the test's.
      script: of bash.
      programs: labels; where they are, are the script's first arguments.
      args: its other arguments.
      data: what it reads.
      size: the test's.
      **more: as for sh_test.
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = [script],
        args = ["$(location %s)" % program for program in programs] + args,
        data = data + programs,
        **more
    )

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
            program_test(
                name = "%s_%d" % (name, n),
                script = "model.sh",
                programs = [
                    "//tools:smexc",
                    "//tools:smex-run",
                    "//tools:compare-npy",
                ],
                args = [
                    folder,
                    str(n),
                ],
                data = [
                    "inputs_of.sh",
                    label,
                ],
            )

def training_tests(models, gpus):
    """Declares `<model>_<n>` tests for models of test/models/training.

    Args:
      models: name -> options of smexc --train.
      gpus: numbers of workers.
    """
    for name, options in models.items():
        for n in gpus:
            program_test(
                name = "%s_%d" % (name, n),
                script = "training.sh",
                programs = [
                    "//tools:smexc",
                    "//tools:smex-run",
                    ":training_matches",
                ],
                args = [
                    "test/models/training/" + name,
                    str(n),
                    options,
                ],
                data = [
                    "inputs_of.sh",
                    "//test/models:training/" + name,
                ],
            )
