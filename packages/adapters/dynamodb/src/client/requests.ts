import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { CallOptions } from '@unikv/core'
import { attempt } from '@unikv/core/adapter'
import { carrying, type HttpAttempt, serviceAt, wasUnsent } from '@unikv/core/http-client'
import { translate } from '../errors.ts'
import type { Item } from '../item.ts'
import type { DynamodbSettings } from '../options.ts'
import type { Driver, OpenClient } from './dynamodb-client.ts'

/** The outcome of a conditional request. */
export type Outcome<O> =
  | { readonly output: O; readonly found?: undefined }
  /** The condition did not hold; what there is, if anything. */
  | { readonly output?: undefined; readonly found: Item | undefined }

/** A table with its client, and requests to it. */
export class Requests {
  readonly table: string
  readonly width: number
  readonly driver: Driver
  readonly clock: () => number
  /** The service, for errors. */
  readonly #where: string
  readonly #open: OpenClient

  constructor(open: OpenClient, settings: DynamodbSettings) {
    const { table, maxConnections, clock } = settings
    this.table = table
    this.width = maxConnections
    this.driver = open.driver
    this.clock = clock
    this.#where = serviceAt('DynamoDB', settings)
    this.#open = open
  }

  /** Send one command, within the deadline of the call. */
  send<O>(call: CallOptions, isWrite: boolean, command: unknown): Promise<O> {
    return this.#within(call, isWrite, command, (sent) => sent as Promise<O>)
  }

  /** Send a command that changes something on a condition. */
  change<O>(call: CallOptions, command: unknown): Promise<Outcome<O>> {
    return this.#within(call, true, command, async (sent): Promise<Outcome<O>> => {
      try {
        return { output: (await sent) as O }
      } catch (error) {
        const { name, Item: found } = error as { readonly name?: unknown; readonly Item?: Item | undefined }
        if (name === 'ConditionalCheckFailedException') return { found }
        throw error
      }
    })
  }

  #within<T>(
    call: CallOptions,
    isWrite: boolean,
    command: unknown,
    take: (sent: Promise<unknown>) => Promise<T>,
  ): Promise<T> {
    const { client, connections } = this.#open
    const known = command as Parameters<DynamoDBClient['send']>[0]
    const failed = (error: unknown, sent: boolean) =>
      translate(error, { where: this.#where, place: this.table, isWrite, sent })
    if (connections !== undefined) {
      const ask = (attempt: HttpAttempt): Promise<T> => take(client.send(carrying(known, attempt)))
      return connections.within(call, isWrite, ask, failed)
    }
    if (isWrite) call.sent = true
    const ask = (abortSignal: AbortSignal): Promise<T> => take(client.send(known, { abortSignal }))
    return attempt(call, isWrite, ask).catch((error: unknown) => {
      throw failed(error, !wasUnsent(error))
    })
  }
}
