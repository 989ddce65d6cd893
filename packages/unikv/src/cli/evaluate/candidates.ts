import { nearest } from '@unikv/core/adapter'
import { wrongAt } from '@unikv/stores/documents'
import { type KnownStore, screen } from '@unikv/stores/knowledge'
import { splitUrl } from '@unikv/stores/lazy'
import { ownStoreUrl } from '../bench/own-store.ts'
import { unopenedText } from '../stores/knowledge.ts'
import { kindOf } from '../versions.ts'
import { durabilityFactLack, featureLacks, type Wanted } from './lacks.ts'
import { type Candidate, type EvaluationDocument, evaluation } from './study.ts'
import { asked, type Trial, wrongIn } from './trial.ts'

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
    const { url: place, eventual: second } =
      typeof given === 'string' ? { url: given, eventual: undefined } : given
    const url = ownStoreUrl(place) ?? place
    const eventual = second === undefined ? undefined : (ownStoreUrl(second) ?? second)
    if (url.includes(':')) {
      const kind = kindIn(url, file, name, names)
      if (isUnopened(kind, known)) return { name, url: undefined, eventual: undefined, kind }
      if (eventual !== undefined) checkEventual({ url, eventual }, file, name)
      return { name, url, eventual, kind }
    }
    if (names.includes(url)) {
      if (eventual === undefined) return { name, url: undefined, eventual, kind: url }
      throw wrongAt(
        file,
        `candidates.${name}`,
        `'${url}' is the name of a store, whose facts alone are looked at. Measure eventual consistency by URLs`,
      )
    }
    const close = nearest(url, names)
    const hint = close === undefined ? `The stores are ${names.join(', ')}` : `Did you mean '${close}'?`
    throw wrongAt(file, `candidates.${name}`, `'${url}' is neither a URL nor the name of a store. ${hint}`)
  })
}

/** Whether there is no adapter for a store that is known. */
function isUnopened(kind: string, known: readonly KnownStore[]): boolean {
  return known.some(({ name, unopened }) => name === kind && unopened !== undefined)
}

/** Refuse a second URL that does not open the same store at another level. */
function checkEventual(
  { url, eventual }: { readonly url: string; readonly eventual: string },
  file: string,
  name: string,
): void {
  const wrong = (what: string): Error => wrongAt(file, `candidates.${name}.eventual`, what)
  if (!eventual.includes(':')) throw wrong(`'${eventual}' is not a URL`)
  const [kind, other] = [kindIn(url, file, name), kindIn(eventual, file, `${name}.eventual`)]
  if (other !== kind) throw wrong(`it is a store of another kind (${other}) than url (${kind})`)
  if (eventual === url) throw wrong('it is the same as url, so there is nothing to compare')
}

/** The kind of store that a URL opens; its scheme where that has facts of its own, as Valkey may have in a file. */
function kindIn(url: string, file: string, name: string, known: readonly string[] = []): string {
  try {
    const { scheme } = splitUrl(url)
    return known.includes(scheme) ? scheme : kindOf(url)
  } catch (error) {
    throw wrongIn(file, name, error)
  }
}

/**
 * The candidates after they were screened by facts, and asked for an answer.
 *
 * @param ask - for tests; the store is opened without it
 * @throws {StoreError} `INVALID_CONFIG` for a URL that no store takes
 */
export async function screened(
  given: readonly Given[],
  document: EvaluationDocument,
  known: readonly KnownStore[],
  trial: Trial,
  ask: typeof asked = asked,
): Promise<readonly Candidate[]> {
  const { requires: { durability } = {}, needs = [] } = document
  const wanted: Wanted = { needs, durability }
  const found: Candidate[] = []
  for (const one of given) {
    const facts = await factsOf(one, document, known, wanted)
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
      const { state, reasons } = await ask(one.name, one.url, wanted, trial)
      const lack =
        state === 'measured' ? await lackOfEventual(one, (name, url) => ask(name, url, wanted, trial)) : []
      const hasEventual = base.hasEventual && state === 'measured' && lack.length === 0
      found.push({ ...base, state, reasons: [...facts.reasons, ...reasons, ...lack], hasEventual })
    }
  }
  return found
}

/** Why a candidate is measured with strong consistency alone; empty: it is not, or was not to have a second level. */
async function lackOfEventual(
  { name, eventual }: Given,
  ask: (name: string, url: string) => ReturnType<typeof asked>,
): Promise<readonly string[]> {
  if (eventual === undefined) return []
  const { state, reasons } = await ask(evaluation.eventualName({ name }), eventual)
  return state === 'measured' ? [] : ['Eventual consistency is not measured.', ...reasons]
}

interface Facts {
  readonly title: string
  readonly passes: boolean
  readonly reasons: readonly string[]
}

/** Facts of the store; of one without a URL also the capabilities of its adapter, as it cannot be asked. */
async function factsOf(
  { kind, url }: Given,
  document: EvaluationDocument,
  known: readonly KnownStore[],
  wanted: Wanted,
): Promise<Facts> {
  const store = known.find(({ name }) => name === kind) ?? { name: kind, title: kind, facts: {} }
  const { passes, reasons } = screenedFor(document, store)
  const lacks = url === undefined ? await lacksByFacts(kind, wanted) : []
  const why = store.unopened === undefined ? lacks : [unopenedText(store)]
  return { title: store.title, passes: passes && lacks.length === 0, reasons: [...why, ...reasons] }
}

/** The requirements of the document, and those of each scenario with its name; what was told already is not told again. */
function screenedFor(
  { requires: { durability: _, ...requires } = {}, scenarios = {} }: EvaluationDocument,
  store: KnownStore,
): Pick<Facts, 'passes' | 'reasons'> {
  const all = [
    { of: '', requires },
    ...Object.entries(scenarios).map(([name, one]) => ({ of: `“${name}”: `, requires: one.requires ?? {} })),
  ]
  const found = all.flatMap(({ of, requires: asked }) =>
    screen(asked, [store]).map((one) => ({ of, ...one })),
  )
  const told = found.flatMap(({ of, reasons }) => reasons.map((reason) => ({ of, reason })))
  const isFirst = ({ reason }: { readonly reason: string }, at: number): boolean =>
    told.findIndex((one) => one.reason === reason) === at
  return {
    passes: found.every(({ passes }) => passes),
    reasons: told.filter(isFirst).map(({ of, reason }) => `${of}${reason}`),
  }
}

async function lacksByFacts(kind: string, wanted: Wanted): Promise<readonly string[]> {
  const { stores } = await import('@unikv/stores')
  const variants = stores.find(({ name }) => name === kind)?.variants.map(({ capabilities }) => capabilities)
  if (variants === undefined) return []
  return [...featureLacks(variants, wanted), ...durabilityFactLack(variants, wanted)]
}
