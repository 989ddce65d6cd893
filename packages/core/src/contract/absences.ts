import type { CallOptions, ReadMeta } from './store.ts'

/** Note for the layers above that a tier has answered a key as absent, as such an answer has no `meta` of its own. */
export function noteAbsent(call: CallOptions, key: string, meta: ReadMeta): void {
  if (call.absences === undefined) call.absences = new Map([[key, meta]])
  else call.absences.set(key, meta)
}
