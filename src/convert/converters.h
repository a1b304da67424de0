// The converters behind Convert(), one per kind.
#ifndef SOTTO_CONVERT_CONVERTERS_H_
#define SOTTO_CONVERT_CONVERTERS_H_

#include "base/status.h"
#include "convert/convert.h"
#include "convert/elements.h"

namespace sotto {

// REQUIRES of each: `request.inputs` has the files of the table in convert.h, in its order.
Status ConvertCt2Whisper(const ConvertRequest& request, OutputType type);
Status ConvertStMiniLm(const ConvertRequest& request, OutputType type);
Status ConvertResemblyzer(const ConvertRequest& request);

}  // namespace sotto

#endif  // SOTTO_CONVERT_CONVERTERS_H_
