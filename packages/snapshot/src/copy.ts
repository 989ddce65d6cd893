import type { AnyStack } from '@unikv/core/adapter'
import { waysOf } from './check.ts'
import { type CopyOptions, type FillReport, settingsOf } from './options.ts'
import { checkedTotal } from './places/count.ts'
import { checkForm, formOf } from './places/layers.ts'
import { areSameOnDisk } from './places/own-files.ts'
import { placeOf, targetOf } from './places/place.ts'
import { samePlace } from './transfer/begin.ts'
import { fill } from './transfer/fill.ts'
import { storeSource } from './transfer/store-source.ts'

/**
 * Copy all records of one store into another, as they are stored: below all layers, so that encrypted values stay encrypted, and
 * with versions and expiries. A view of a namespace stands for its records and those of namespaces in it, which keep their keys.
 *
 * ```ts
 * const { records, verification } = await copy(keyValue(redis({ url })), keyValue(postgres({ url: other })))
 * ```
 *
 * While it runs, a record in the target tells how far it is; a process that was killed goes on with `resume: true`. Records that
 * others write to the source meanwhile may or may not be copied: verification tells.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a target that is the source, has other layers, has records, or holds an unfinished copy; `UNSUPPORTED`
 * for a source that cannot list its keys, and a target that cannot hold the records; `KEY_TOO_LONG` and `VALUE_TOO_LARGE` with
 * the key; `NOT_PREPARED` for a source without records; `CONDITION_FAILED` if another process has taken over the target; `ABORTED`; errors of the stores. `done` tells how many records are there
 */
export async function copy(from: AnyStack, to: AnyStack, options: CopyOptions = {}): Promise<FillReport> {
  const settings = settingsOf('copy', options)
  const ways = waysOf(settings)
  const [source, target] = [placeOf('copy', from), placeOf('copy', to)]
  const isSame = source.store.dataset !== undefined && source.store.dataset === target.store.dataset
  if (isSame || (await areSameOnDisk(source, target))) throw samePlace(target)
  checkForm(formOf(from), to)
  const own = storeSource(source, ways)
  const total = await checkedTotal(source, ways, settings)
  return fill({ source: own, target: targetOf(target, source.namespace), options: settings, ways, total })
}
