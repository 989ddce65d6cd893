import { type Bytes, keyValue } from '@unikv/core'
import { type DeltaOptions, delta } from '../src/index.ts'
import { Watched } from './watched.ts'

/** A layer with these options over a store that is watched. */
export function opened(options: DeltaOptions = {}, store = new Watched()) {
  const layer = delta(options)
  const bytes = (below: Watched) => keyValue(below, [layer])
  return { store, layer, kv: bytes(store) }
}

/** Bytes as something that `toEqual` compares. */
export const same = (value: Bytes | undefined): Buffer | undefined =>
  value === undefined ? undefined : Buffer.from(value)

/** Lets the removal of old parts end. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
