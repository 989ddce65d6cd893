import { isDeepStrictEqual } from 'node:util'
import { StoreError } from '@unikv/core'
import type { Option } from '../decide/decide.ts'
import type { Candidate, Facts, Tactic, TunedStore } from '../tactic.ts'
import { withinTime } from './within-time.ts'

/** A look at a server takes no longer. */
const lookMs = 10_000

/** All changes that tactics could make to a store. A tactic whose look at the server fails has none, and its error is told. */
export async function optionsFor(
  tactics: readonly Tactic[],
  at: TunedStore,
  known: Pick<Facts, 'configuration' | 'work' | 'processes' | 'server'>,
  onError: (error: unknown) => void,
  onFound: (found: unknown) => void = () => {},
): Promise<readonly Option[]> {
  const { name: store, kind, table } = at
  const options: Option[] = []
  for (const tactic of tactics) {
    try {
      const found = await withinTime(async () => tactic.look?.(at, known.work), lookMs, at.signal)
      onFound(found)
      for (const candidate of checked(tactic.name, tactic.applies({ store, kind, table, ...known, found })))
        options.push({ tactic: tactic.name, candidate })
    } catch (error) {
      // Nothing is decided any more, and a decision from a part of the options would be wrong.
      if (at.signal.aborted) throw error
      onError(error)
    }
  }
  return options
}

/** A figure that is none would make the record of a proposal unreadable. */
function checked(tactic: string, candidates: readonly Candidate[]): readonly Candidate[] {
  for (const candidate of candidates) {
    const wrong = wrongIn(candidate)
    if (wrong === undefined) continue
    const what = `The tactic ${tactic} gives a wrong estimate: ${wrong}.`
    throw new StoreError('INVALID_ARGUMENT', what)
  }
  return candidates
}

function wrongIn({ title, change, figures, ...estimates }: Candidate): string | undefined {
  const { latency = {}, resources = {}, seconds, hitRate = 0, errors = 0, bytes = 0 } = estimates
  if (typeof title !== 'string' || title === '') return '`title` must be a text'
  if (!Array.isArray(figures)) return '`figures` must be a list'
  const numbers = { ...latency, ...resources, seconds, hitRate, errors, bytes }
  const [name] = Object.entries(numbers).find(([, value]) => !isCount(value)) ?? []
  if (name !== undefined) return `\`${name}\` must be a number of at least 0`
  const figure = figures.find(({ value }) => !Number.isFinite(value))
  if (figure !== undefined) return `the figure '${figure.name}' must be a number`
  return isDeepStrictEqual(JSON.parse(JSON.stringify(change)), change)
    ? undefined
    : '`change` must be plain data'
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0
}
