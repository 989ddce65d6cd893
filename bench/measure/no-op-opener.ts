import type { Bytes, Store } from '@unikv/core'
import { type Answer, noOpStore } from './no-op-store.ts'

/** Opens the store that does nothing, for threads of a driver. */
export function open(_url: string, { answer }: { readonly answer: Answer }): Store<Bytes> {
  return noOpStore(answer)
}
