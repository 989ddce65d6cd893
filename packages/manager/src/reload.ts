import type { Checked } from './configuration/check-configuration.ts'
import type { StoreConfiguration } from './configuration/configuration.ts'
import { orderOf, referencesOf } from './configuration/references.ts'
import { layerNameOf } from './layers/layer-name.ts'
import { areSame } from './same-options.ts'
import { wrong } from './wrong.ts'

/** Names of stores, by what a new configuration means for them. */
export interface Compared {
  readonly added: readonly string[]
  /** Other options, or another store below. */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** They stay open as they are. */
  readonly kept: readonly string[]
}

/** The changes of a reload, and its time. */
export interface Reloaded extends Compared {
  /** Milliseconds until the new stores were in use. Closing the former ones comes on top. */
  readonly elapsedMs: number
}

/**
 * Compare a new configuration with that of the open stores. A store changes with those that it names.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a change that needs a new start
 */
export function comparedWith(before: Checked, after: Checked): Compared {
  if (!areSame(withoutListeners(before), withoutListeners(after)))
    throw wrong('monitor', `it cannot change while the program runs. ${restart}`)
  const [added, changed, kept]: [string[], string[], string[]] = [[], [], []]
  for (const name of orderOf(after)) {
    const next = after.stores[name] as StoreConfiguration
    const former = Object.hasOwn(before.stores, name) ? before.stores[name] : undefined
    const uses = referencesOf(name, next).map((reference) => reference.name)
    if (former === undefined) added.push(name)
    else if (areSame(former, next) && !uses.some((one) => changed.includes(one))) kept.push(name)
    else changed.push(name)
  }
  const removed = Object.keys(before.stores).filter((name) => !Object.hasOwn(after.stores, name))
  return { added, changed, removed, kept }
}

/**
 * Refuse changes that would lose something.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function refuseLosses({ changed, removed }: Compared, before: Checked): void {
  for (const name of [...changed, ...removed]) refuseLoss(name, before)
}

const restart = 'Start the program again'

/** Functions of a file that is loaded again are never the same: the new ones are used. */
function withoutListeners({ monitor }: Checked): Checked['monitor'] {
  return monitor && { ...monitor, onEvent: undefined, onError: undefined }
}

function refuseLoss(name: string, { stores, monitor }: Checked): void {
  const path = `stores.${name}`
  const { url, store, layers = [] } = stores[name] as StoreConfiguration
  if (monitor?.keepIn === name)
    throw wrong(
      path,
      `it keeps the figures of the monitor, so it cannot change while the program runs. ${restart}`,
    )
  if (/^memory:/i.test(url ?? ''))
    throw wrong(path, `its records are in this process, and a change would lose them. ${restart}`)
  if (store !== undefined)
    throw wrong(path, `the program made this store, and a change would close it. ${restart}`)
  if (layers.some((layer) => layerNameOf(layer) === 'writeBehind'))
    throw wrong(path, `its writes may still wait in a queue, and later ones would overtake them. ${restart}`)
}
