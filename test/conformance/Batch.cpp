#include "test/conformance/Batch.h"

using namespace smex;
using namespace smex::conformance;

std::vector<Lambdas> conformance::lambdasBy(Session &session,
                                            Agreement agreement) {
  constexpr size_t most = 8;
  std::vector<Lambdas> all;
  for (const auto &each : collected().all)
    if (agreementOf(each.second.lambda) != agreement)
      continue;
    else if (!each.second.isSmall())
      session.skip("more than 5,000,000 elements");
    else if (all.empty() || all.back().size() == most)
      all.push_back({&each});
    else
      all.back().push_back(&each);
  return all;
}

std::vector<int> Batch::addOperands(const Application &application) {
  std::vector<int> operands;
  for (const Tensor &operand : application.operands)
    operands.push_back(
        model.add("x" + std::to_string(model.model.values.size()), operand));
  return operands;
}

Status Batch::apply(const Application &application,
                    const std::vector<int> &operands) {
  const auto made =
      model.apply("y" + std::to_string(model.model.values.size()),
                  application.lambda, application.extents, operands);
  return made ? Status() : Status(made.error());
}

Status Batch::add(const std::string &text, const Application &application) {
  if (Status added = apply(application, addOperands(application)); !added)
    return added;
  if (lambdas++ == 0)
    first = text;
  return {};
}

std::string Batch::name() const {
  return lambdas == 1 ? first
                      : first + " and " + std::to_string(lambdas - 1) + " more";
}

Status Batch::addStrategies(Session &session, const std::string &text,
                            const Application &application) {
  if (Status added = add(text, application); !added)
    return added;
  const std::vector<int> operands = model.model.applications.back().operands;
  const std::vector<int> splits = strategies(session.context, model).back();
  for (size_t s = 1; s < splits.size(); ++s)
    if (Status next = apply(application, operands); !next)
      return next;
  cuts.insert(cuts.end(), splits.begin(), splits.end());
  if (splits.empty())
    cuts.push_back(-1);
  return {};
}
