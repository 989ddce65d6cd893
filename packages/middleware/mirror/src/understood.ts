import type { CallOptions, Capabilities } from '@unikv/core'
import { derive } from '@unikv/core/adapter'

/** The call as a store understands it: without a level that it does not declare. */
export function understood(call: CallOptions, { consistency }: Capabilities): CallOptions {
  return call.consistency === undefined || consistency.includes(call.consistency)
    ? call
    : derive(call, { consistency: null })
}
