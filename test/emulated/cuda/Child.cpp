#include "test/emulated/cuda/Child.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace smex::emulated {

std::string inChild(const std::map<std::string, std::string> &environment,
                    const std::function<std::string()> &body) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("no process");
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL); // not the test framework's
    dup2(ends[1], 2);
    close(ends[0]);
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::string text = body();
    for (size_t at = 0; at < text.size();) {
      ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0)
        break;
      at += written;
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    text += "signal " + std::to_string(WTERMSIG(status));
  return text;
}

} // namespace smex::emulated
