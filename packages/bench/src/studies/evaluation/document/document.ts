import { either, must, parsedAs, wrongAt } from '@unikv/stores/documents'
import { storeRequirementsSchema } from '@unikv/stores/knowledge'
import { features } from '@unikv/stores/lazy'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { eventualName } from '../config.ts'
import { callers, section, text, wholeTo } from './parts.ts'
import { pricesSchema } from './prices.ts'
import { extended, givenScenario, type ScenarioDocument } from './scenario.ts'

const records = wholeTo(1_000_000_000)
const callersList = 'a list of up to 100 numbers, such as [1, 10, 100]'
const whole = z.int(must('a whole number above 0')).min(1, must('a whole number above 0'))
const size = z.union([text, whole], must('a size, such as 1K or 100..10K'))
const seed = must('a whole number from 0 to 4,294,967,295')
const time = z.string(must('a time, such as 500ms or 5s'))

/** The core workloads of YCSB. */
const presets = ['a', 'b', 'c', 'd', 'e', 'f'] as const

const candidate = z.union(
  [text, section({ url: text, eventual: text.optional() }, 'an object with url')],
  must('a URL, the name of a store, or an object with url and eventual'),
)

/** As the options of `unikv bench sweep`; a module counts from the folder of the document. */
const workload = section(
  {
    module: text.optional(),
    preset: z.enum(presets, must(either(presets))).optional(),
    records: records.optional(),
    keys: text.optional(),
    valueSize: size.optional(),
    scanLength: size.optional(),
  },
  'an object with module or preset',
)

const sweep = section(
  {
    callers: z
      .array(callers, must(callersList))
      .min(1, must(callersList))
      .max(100, must(callersList))
      .optional(),
    runs: wholeTo(1_000).optional(),
    duration: time.optional(),
    warmup: time.optional(),
    operations: records.optional(),
    /** How many connections callers have: a number, or `each`. */
    connections: z
      .union([wholeTo(10_000), z.literal('each')], must('a whole number from 1 to 10,000, or each'))
      .optional(),
  },
  'an object with callers',
)

/** One for all candidates, or by their names. */
const farther = z.union([text, z.number(), z.record(z.string(), z.union([text, z.number()]))])

/** The schema of a document. */
export const documentSchema = section(
  {
    name: text,
    question: text.optional(),
    /** A URL, or the name of a store of the knowledge base, whose facts alone are looked at, by name. */
    candidates: z
      .record(z.string(), candidate, must('an object of candidates by name'))
      .refine((given) => Object.keys(given).length > 0, 'it must name at least one candidate'),
    /** Facts that each candidate must have, and what its writes must survive. */
    requires: storeRequirementsSchema.optional(),
    /** Features of unikv that each candidate must have, such as `scan`. */
    needs: z.array(text, must('a list of features, such as [scan]')).optional(),
    workload: workload.optional(),
    /** Mixes of operations by name, such as `recent=80,observe=20`; each is measured by itself. */
    loads: z
      .record(z.string(), text, must('an object of mixes by name, such as browse: read=95,update=5'))
      .optional(),
    sweep: sweep.optional(),
    /** The load at which strong and eventual consistency are compared; left out: the last one. */
    compare: text.optional(),
    scenarios: z.record(z.string(), givenScenario, must('an object of scenarios by name')).optional(),
    /** Prices of the candidates, for a cost a month. */
    prices: pricesSchema.optional(),
    seed: z.int(seed).min(0, seed).max(0xffff_ffff, seed).optional(),
    /** Deadline of every call. */
    timeout: time.optional(),
    /** So much later arrives what servers answer: `40ms`, or times by the names of candidates. */
    delay: farther.optional(),
    /** Speed of the network to servers in Mbit/s: one, or one for each named candidate. */
    bandwidth: farther.optional(),
  },
  'an object with name and candidates',
)

/** An evaluation as it is written down; its scenarios have what they extend. */
export type EvaluationDocument = Omit<Plain<typeof documentSchema>, 'scenarios'> & {
  readonly scenarios?: Readonly<Record<string, ScenarioDocument>> | undefined
}

/**
 * An evaluation out of the data of a file.
 *
 * @param file - its name, for messages
 * @throws {StoreError} `INVALID_CONFIG`: the place of the first mistake, what was found, and what is right
 */
export function evaluationDocument(data: unknown, file: string): EvaluationDocument {
  const { scenarios: given, ...document } = parsedAs(documentSchema, data, file)
  for (const name of Object.keys(document.candidates)) {
    checkName(name, file)
    const twin = eventualName({ name })
    if (Object.hasOwn(document.candidates, twin))
      throw wrongAt(
        file,
        `candidates.${twin}`,
        `this name stands for '${name}' with eventual consistency. Choose another`,
      )
  }
  for (const [i, name] of (document.needs ?? []).entries())
    if (!Object.hasOwn(features, name))
      throw wrongAt(
        file,
        `needs[${i}]`,
        `there is no feature '${name}'; there are ${either(Object.keys(features))}`,
      )
  if (given === undefined) return document
  const scenarios = Object.entries(given).map(([name, one]) => [name, extended(name, one, file)] as const)
  return { ...document, scenarios: Object.fromEntries(scenarios) }
}

/** A name is part of those of files, and that of its eventual twin is longer. */
function checkName(name: string, file: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,22}$/.test(name)) return
  throw wrongAt(
    file,
    `candidates.${name}`,
    'a name begins with a letter or digit, and has up to 23 letters, digits, - and _',
  )
}
