#include "compiler/machine/Profile.h"

#include "dialects/support/File.h"
#include "runtime/plan/Cursor.h"

using namespace smex;
using namespace smex::machines;
using plan::Cursor;

Result<Profile> machines::readProfile(std::string_view text,
                                      const std::string &file) {
  const auto json = plan::parseJson(text);
  if (!json)
    return fail(file, ": ", json.error().message);
  std::optional<Error> error;
  const Cursor at(*json, file, error);
  Profile profile;
  profile.file = file;
  at.object({"format", "version", "model", "backend", "operators"},
            {"devices"});
  at.with("format", [](const Cursor &format) {
    if (format.string() != "smex-profile")
      format.refuse("must be \"smex-profile\"");
  });
  at.integer("version", 1, 1);
  profile.model = at.string("model");
  profile.backend = at.string("backend");
  if (at.has("devices"))
    at.list("devices", [](const Cursor &device) { return device.string(); });
  at.with("operators", [&](const Cursor &operators) {
    if (!operators.json().is_object())
      return operators.refuse("must be an object of seconds by name");
    for (const auto &member : operators.json().items()) {
      if (!operators.ok())
        return;
      operators.with(member.key().c_str(), [&](const Cursor &value) {
        constexpr double longest = 1e6;
        const double seconds = value.real();
        if (value.ok() && !(0 <= seconds && seconds <= longest))
          value.refuse("must be between 0 and a million seconds");
        profile.seconds[member.key()] = seconds;
      });
    }
  });
  if (error)
    return *error;
  return profile;
}

Error machines::noneOfModel(const Profile &profile) {
  if (profile.seconds.empty())
    return fail(profile.file,
                " has no operators: parts say nothing of a whole; profile a "
                "plan that cuts none, such as one for one GPU");
  return fail(profile.file, " is of \"", profile.model,
              "\", and has none of this model's operators");
}

Result<Profile> machines::readProfileFile(const std::string &path) {
  const auto text = readFile(path);
  return text ? readProfile(*text, path) : text.error();
}
