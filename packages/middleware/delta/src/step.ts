import type { Bytes, CallOptions, Store } from '@unikv/core'
import { levelPastCaches, StepCall } from '@unikv/core/adapter'

/** The same call, for a look past everything that may answer with what is old. */
export function strongest(inner: Store<Bytes>, call: CallOptions): StepCall {
  return new StepCall(call, levelPastCaches(inner) ?? call.consistency)
}
