import type { StoreTarget } from '@unikv/bench'
import { type Bytes, isStoreError, type KeyValue, keyValue, type Store, supports } from '@unikv/core'
import { wrongAt } from '@unikv/stores/documents'
import { maskUrl } from '@unikv/stores/lazy'
import { openerOf } from '../bench/bench-target.ts'
import { openPlace } from '../bench/own-store.ts'
import { missingPath } from '../data/there.ts'
import { datasets } from '../datasets.ts'
import { exitCodeOf, exitCodes } from '../exit-code.ts'
import { serverFacts } from '../server-facts.ts'
import { kindOf } from '../versions.ts'
import { durabilityLack, featureLacks, type Wanted } from './lacks.ts'
import type { Candidate } from './study.ts'

/** How a store is asked for an answer. */
export interface Trial {
  /** The name of the document, for messages. */
  readonly file: string
  readonly timeoutMs: number
  /** A record is written and deleted, too. */
  readonly isWritten: boolean
  /** Throws a `StoreError` for a store that cannot take the workload. */
  readonly check: (target: StoreTarget) => void
}

/** A mistake in a URL is one of the document; other errors stay as they are. */
export function wrongIn(file: string, name: string, error: unknown): unknown {
  if (!isStoreError(error) || exitCodeOf(error) !== exitCodes.wrongUse) return error
  return wrongAt(file, `candidates.${name}`, error.message)
}

/** Whether a store has what unikv must do with it, can take the workload, and answers. */
export async function asked(
  name: string,
  url: string,
  wanted: Wanted,
  { file, timeoutMs, isWritten, check }: Trial,
): Promise<Pick<Candidate, 'state' | 'reasons'>> {
  try {
    const options = /[?&]dataset=/.test(url) ? {} : { dataset: datasets.store }
    const store = await openPlace(url, options)
    try {
      const lacks = lacksOf({ name, url: maskUrl(url), store, opener: openerOf(url, options) }, wanted, check)
      if (lacks.length > 0) return { state: 'out', reasons: lacks }
      // A store in a file would be made.
      if (isWritten || (await missingPath(url)) === undefined)
        await tried(keyValue(store, [], { timeoutMs }), isWritten)
      const weak = await weaknessOf(store, url, wanted)
      return { state: weak.length > 0 ? 'out' : 'measured', reasons: weak }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isStoreError(error) || exitCodeOf(error) === exitCodes.wrongUse) throw wrongIn(file, name, error)
    return { state: 'unreachable', reasons: [`${maskUrl(url)}: ${error.message}`] }
  }
}

const trialKey = 'unikv.evaluate'

async function tried(all: KeyValue<string, Bytes>, isWritten: boolean): Promise<void> {
  await all.get(trialKey)
  if (!isWritten) return
  await all.set(trialKey, new Uint8Array(1))
  await all.delete(trialKey)
}

/** The things asked for that a store cannot do, a sentence each. */
function lacksOf(target: StoreTarget, wanted: Wanted, check: Trial['check']): readonly string[] {
  const missing = featureLacks([target.store.capabilities], wanted)
  if (missing.length > 0) return missing
  if (!supports(target.store, 'scan'))
    return [
      'It cannot be measured: it does not list its keys, so the records of a run could not be found and removed.',
    ]
  try {
    check(target)
    return []
  } catch (error) {
    if (!isStoreError(error)) throw error
    return [error.message]
  }
}

/** Whether writes survive what is wanted, by what the server says of itself. */
async function weaknessOf(store: Store<Bytes>, url: string, wanted: Wanted): Promise<readonly string[]> {
  if (wanted.durability === undefined) return []
  const server = url.includes('//') ? await serverFacts(kindOf(url), store.native).catch(() => ({})) : {}
  const { name: adapter, capabilities } = store
  return durabilityLack({ adapter, url, server, durability: capabilities.durability }, wanted)
}
