import type { Bytes, CallOptions, Store } from '@unikv/core'
import { type Call, derive, levelPastCaches } from '@unikv/core/adapter'

/** The same call, for a look past everything that may answer with what is old. */
export function strongest(inner: Store<Bytes>, call: CallOptions): Call {
  return derive(call, { consistency: levelPastCaches(inner), sent: 'own' })
}
