import { type AnyStore, type Bytes, isStoreError, type KeyValue, keyValue } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { wrongAt } from '@unikv/stores/documents'
import { type KnownStore, type Requirements, screen } from '@unikv/stores/knowledge'
import { type Feature, features, maskUrl, open } from '@unikv/stores/lazy'
import type { Candidate, EvaluationDocument } from '@unikv/study-evaluation'
import { datasets } from '../datasets.ts'
import { exitCodeOf, exitCodes } from '../exit-code.ts'
import { kindOf } from '../versions.ts'

/** A candidate of a document. */
export interface Given {
  readonly name: string
  /** `undefined`: its facts alone are looked at. */
  readonly url: string | undefined
  /** With eventual consistency. */
  readonly eventual: string | undefined
  /** The name of the store in the knowledge base. */
  readonly kind: string
}

/**
 * The candidates of a document.
 *
 * @throws {StoreError} `INVALID_CONFIG` for one that is neither a URL nor the name of a store
 */
export function givenIn(
  { candidates }: EvaluationDocument,
  file: string,
  known: readonly KnownStore[],
): readonly Given[] {
  const names = known.map((store) => store.name)
  return Object.entries(candidates).map(([name, given]) => {
    const { url, eventual } = typeof given === 'string' ? { url: given, eventual: undefined } : given
    if (url.includes(':')) return { name, url, eventual, kind: kindIn(url, file, name) }
    if (names.includes(url)) return { name, url: undefined, eventual: undefined, kind: url }
    const close = nearest(url, names)
    const hint = close === undefined ? `The stores are ${names.join(', ')}` : `Did you mean '${close}'?`
    throw wrongAt(file, `candidates.${name}`, `'${url}' is neither a URL nor the name of a store. ${hint}`)
  })
}

/** The kind of store that a URL opens. */
function kindIn(url: string, file: string, name: string): string {
  try {
    return kindOf(url)
  } catch (error) {
    throw wrongIn(file, name, error)
  }
}

/** A mistake in a URL is one of the document; other errors stay as they are. */
function wrongIn(file: string, name: string, error: unknown): unknown {
  if (!isStoreError(error) || exitCodeOf(error) !== exitCodes.wrongUse) return error
  return wrongAt(file, `candidates.${name}`, error.message)
}

/** How a store is asked for an answer. */
export interface Trial {
  /** The name of the document, for messages. */
  readonly file: string
  readonly timeoutMs: number
  /** A record is written and deleted, too. */
  readonly isWritten: boolean
}

/**
 * The candidates after they were screened by facts, and asked for an answer.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a URL that no store takes
 */
export async function screened(
  given: readonly Given[],
  { requires = {}, needs = [] }: EvaluationDocument,
  known: readonly KnownStore[],
  trial: Trial,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = []
  for (const one of given) {
    const facts = factsOf(one, requires, known)
    const base = {
      name: one.name,
      kind: one.kind,
      title: facts.title,
      hasEventual: one.eventual !== undefined,
    }
    if (!facts.passes || one.url === undefined)
      found.push({
        ...base,
        state: facts.passes ? 'named' : 'out',
        reasons: facts.reasons,
        hasEventual: false,
      })
    else {
      const { state, reasons } = await asked(one.name, one.url, needs, trial)
      const hasEventual = base.hasEventual && state === 'measured'
      found.push({ ...base, state, reasons: [...facts.reasons, ...reasons], hasEventual })
    }
  }
  return found
}

interface Facts {
  readonly title: string
  readonly passes: boolean
  readonly reasons: readonly string[]
}

function factsOf({ kind }: Given, requires: Requirements, known: readonly KnownStore[]): Facts {
  const store = known.find(({ name }) => name === kind) ?? { name: kind, title: kind, facts: {} }
  const [{ passes, reasons } = { passes: true, reasons: [] }] = screen(requires, [store])
  return { title: store.title, passes, reasons }
}

/** Whether a store answers, and has what unikv must do with it. */
async function asked(
  name: string,
  url: string,
  needs: readonly string[],
  { file, timeoutMs, isWritten }: Trial,
): Promise<Pick<Candidate, 'state' | 'reasons'>> {
  try {
    const store = await open(url, /[?&]dataset=/.test(url) ? {} : { dataset: datasets.store })
    try {
      const missing = needs.filter(
        (need) => !(features[need] as Feature).holds((store as AnyStore).capabilities),
      )
      if (missing.length > 0) return { state: 'out', reasons: missing.map(lackText) }
      await tried(keyValue(store, [], { timeoutMs }), isWritten)
      return { state: 'measured', reasons: [] }
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

function lackText(need: string): string {
  return `With unikv it lacks ${need}: ${(features[need] as Feature).means}.`
}
