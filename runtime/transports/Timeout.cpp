#include "runtime/transports/Timeout.h"

#include <cmath>
#include <cstdlib>

using namespace smex;

Result<double> runtime::secondsIn(const char *variable, double otherwise) {
  const char *text = std::getenv(variable);
  if (!text)
    return otherwise;
  char *end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end != text && *end == 0 && std::isfinite(seconds) && seconds > 0)
    return seconds;
  return fail(variable, "=", text,
              ": give a number of seconds that is greater than 0");
}
