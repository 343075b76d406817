#ifndef SMEX_DIALECTS_TDL_LAMBDA_SCOPED_H
#define SMEX_DIALECTS_TDL_LAMBDA_SCOPED_H

namespace smex::tdl {

/// Sets a variable for as long as a scope lasts.
template <typename T> class Scoped {
public:
  Scoped(T &variable, T value) : variable(variable), saved(variable) {
    variable = value;
  }
  ~Scoped() { variable = saved; }

private:
  T &variable, saved;
};

} // namespace smex::tdl

#endif
