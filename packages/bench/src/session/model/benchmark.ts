import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Interactions } from './interaction.ts'
import type { DeclaredParameters, Parameters, ParameterValues } from './parameters.ts'
import type { Transitions } from './transitions.ts'
import type { Users } from './users.ts'

/** The application that sessions use: its interactions over one data access, and models of its users. */
export interface Benchmark<Db, State> {
  readonly name: string
  readonly interactions: Interactions<Db, State>
  /** Parameters with their defaults; `undefined`: the model must give it. @default any parameter is right */
  readonly parameters?: DeclaredParameters | undefined
  /** Transitions that come with it, by name. */
  readonly models: Readonly<Record<string, Transitions>>
  /** Users for a model that names none. @default the user 1 */
  readonly users?: ((parameters: Parameters) => Users) | undefined
  /**
   * Refuse parameters that do not fit together.
   *
   * @param used the interactions that the model leads to
   * @throws {StoreError} `INVALID_CONFIG`
   * @default any do
   */
  readonly check?: ((parameters: Parameters, used: ReadonlySet<string>) => void) | undefined
  /** The state of a new session. */
  begin(values: ParameterValues): State
}

/**
 * Refuse a benchmark that could not be run.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the part that is missing or not a function
 */
export function checkBenchmark(benchmark: Benchmark<never, never>): void {
  if (typeof benchmark !== 'object' || benchmark === null || !isPlainObject(benchmark.interactions))
    throw wrong(`A benchmark must be an object with interactions, got ${kindOf(benchmark)}.`)
  checkFunctions('the benchmark', benchmark, ['begin'])
  for (const [name, given] of Object.entries(benchmark.interactions)) {
    if (Object(given) !== given)
      throw wrong(`The interaction ${name} must be an object, got ${kindOf(given)}.`)
    const all = given.complete === undefined ? needed : [...needed, 'complete']
    checkFunctions(`the interaction ${name}`, given, all)
  }
}

const needed = ['prepare', 'execute']

function checkFunctions(whose: string, given: object, names: readonly string[]): void {
  for (const name of names) {
    const part = (given as Readonly<Record<string, unknown>>)[name]
    if (typeof part !== 'function')
      throw wrong(`${name} of ${whose} must be a function, got ${kindOf(part)}.`)
  }
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
