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
