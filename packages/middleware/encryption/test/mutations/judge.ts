import { isStoreError } from '@unikv/core'
import { Random } from '@unikv/test-kit/schedules'
import { mutated } from './mutate.ts'
import { plaintextOf, planted } from './planted.ts'
import { type Population, population } from './population.ts'
import type { Place, Subject } from './subject.ts'

/** What became of mutated records. */
export interface Verdict {
  /** Records that were put before the opener. */
  tried: number
  /** Mutations by their first kind. */
  readonly byMutation: Record<string, number>
  /** Refusals by the code of their error. */
  readonly byCode: Record<string, number>
  /** Records that were opened though nobody sealed them so: the kind of mutation. */
  readonly accepted: string[]
  /** What was thrown that is no refusal of ours. */
  readonly crashes: string[]
}

const perPopulation = 5_000

/** Mutate genuine records, and say what the subject makes of them. The seed decides the changes; salts and noise are new each time. */
export function judge(
  subject: Subject,
  count: number,
  seed: number,
  isEnough: (verdict: Verdict) => boolean = () => false,
): Verdict {
  const verdict: Verdict = { tried: 0, byMutation: {}, byCode: {}, accepted: [], crashes: [] }
  for (let round = 0; verdict.tried < count && !isEnough(verdict); round++) {
    const chance = new Random(seed + round * 1_000_003)
    const all = population(chance, subject)
    checkGenuine(subject, all)
    const end = Math.min(count, verdict.tried + perPopulation)
    while (verdict.tried < end && !isEnough(verdict)) {
      const attempt = chance.chance(0.04) ? wrongInside(chance, subject, all) : mutated(chance, all)
      if (!all.isGenuine(attempt.envelope, attempt.place)) put(subject, attempt, verdict)
    }
  }
  return verdict
}

/** A judge of an opener that opens nothing would find nothing. */
function checkGenuine(subject: Subject, { records }: Population): void {
  for (const { envelope, place, value } of records)
    if (!value.equals(subject.open(envelope, place))) throw new Error('A genuine record does not open.')
}

interface Named {
  readonly name: string
  readonly envelope: Buffer
  readonly place: Place
}

function put(subject: Subject, { name, envelope, place }: Named, verdict: Verdict): void {
  verdict.tried += 1
  verdict.byMutation[name] = (verdict.byMutation[name] ?? 0) + 1
  try {
    subject.open(envelope, place)
    verdict.accepted.push(name)
  } catch (error) {
    if (!isStoreError(error)) verdict.crashes.push(`${name}: ${String(error)}`)
    else verdict.byCode[error.code] = (verdict.byCode[error.code] ?? 0) + 1
  }
}

const right = planted('none')

/** Authentic, as from a holder of the key, and wrong inside: a length that lies, padding that is not zero, or none. */
function wrongInside(chance: Random, subject: Subject, { records }: Population): Named {
  const { place, value, form } = chance.pick(records)
  const made = 'sealInside' in subject ? (subject as typeof right) : right
  const room = form.paddedTo === 0 ? 0 : form.paddedTo - (value.length % form.paddedTo)
  const text = Buffer.alloc(Math.max(1, room))
  text[chance.below(text.length)] = 1 + chance.below(255)
  const lies = [value.length + room + 1 + chance.below(9), 2 ** 32 - 1, 2 ** 31]
  const shorter = value.length > 0 && value.at(-1) !== 0 ? [value.length - 1] : []
  const ways: readonly (() => Buffer)[] = [
    () => plaintextOf(value, form, { padding: text }),
    () => plaintextOf(value, form, { length: chance.pick([...lies, ...shorter]) }),
    ...(room > 0 ? [() => plaintextOf(value, form, { padding: Buffer.alloc(0) })] : []),
    ...(room === 0 ? [() => plaintextOf(value, form, { padding: Buffer.alloc(1) })] : []),
  ]
  return { name: 'wrong inside', place, envelope: made.sealInside(chance.pick(ways)(), place, form) }
}
