import type { GiveBack } from '@unikv/core/adapter'
import { type Lender, Lent } from '@unikv/core/sql-client'
import type { Answer } from './execution.ts'
import { Pipeline, type Step } from './pipeline.ts'
import type { PostgresConnection } from './postgres-client.ts'

/** The process of the server that serves a connection, and when the server started. */
export type ServerProcess = readonly [process: string, startedAt: string]

/** Those that are known. */
const servers = new WeakMap<PostgresConnection, ServerProcess>()

/** A connection of the pool for the length of a transaction. */
export class LentConnection extends Lent<PostgresConnection> {
  readonly #place: string

  constructor(
    connection: PostgresConnection,
    from: Lender<PostgresConnection> & { readonly place: string },
    giveBack: GiveBack,
  ) {
    super(connection, from, giveBack)
    this.#place = from.place
  }

  /** The process that serves it, if it is known. */
  get server(): ServerProcess | undefined {
    return servers.get(this.connection)
  }

  knowServer(server: ServerProcess): void {
    servers.set(this.connection, server)
  }

  /**
   * The rows of statements that are executed as one. Errors are those of the driver, with whether anything was sent.
   */
  ask(steps: readonly Step[]): Promise<readonly Answer[]> {
    let pipeline: Pipeline | undefined
    return this.asked(
      (answered) => {
        pipeline = new Pipeline(steps, this.#place, answered)
        this.connection.query(pipeline)
      },
      () => pipeline?.isSent === true,
    )
  }
}
