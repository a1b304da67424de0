// JSON documents of the C ABI that are made from engine values.
#ifndef SOTTO_CAPI_JSON_OUT_H_
#define SOTTO_CAPI_JSON_OUT_H_

#include <string>

#include "engine/jobs/models.h"
#include "engine/trace/waterfall.h"

namespace sotto::capi {

// The waterfall of include/sotto/trace.h.
std::string WaterfallJson(const WaterfallView& turn);
std::string TraceRingJson(const TraceRing& ring);
// The description of include/sotto/model.h.
std::string ModelJson(const LoadedModel& model);

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_JSON_OUT_H_
