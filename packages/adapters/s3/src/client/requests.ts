import type { S3Client } from '@aws-sdk/client-s3'
import type { CallOptions } from '@unikv/core'
import { attempt } from '@unikv/core/adapter'
import { carrying, type HttpAttempt, serviceAt, statusOf, wasUnsent } from '@unikv/core/http-client'
import { wallClock } from '@unikv/core/platform'
import { translate } from '../errors.ts'
import type { S3Settings } from '../options.ts'
import type { Driver, OpenClient } from './s3-client.ts'

/**
 * The outcome of a request: an answer, no such object, a condition of its headers that did not hold, or no bytes where
 * some were asked for; `now` is the time of the server.
 */
export type Answer<O> =
  | { readonly output: O; readonly now: () => number; readonly refused?: undefined }
  | { readonly refused: 'absent' | 'condition' | 'empty'; readonly now: () => number }

/** The used part of any command. */
interface Command {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: unknown) => Promise<unknown>) => (args: unknown) => Promise<unknown>,
      options: object,
    ): void
  }
}

/** A bucket with its client, and requests to it. */
export class Requests {
  readonly bucket: string
  readonly prefix: string
  readonly width: number
  readonly maxValueBytes: number
  readonly driver: Driver
  /** The service, for errors. */
  readonly #where: string
  readonly #open: OpenClient

  constructor(open: OpenClient, settings: S3Settings) {
    const { bucket, prefix, maxConnections, maxValueBytes } = settings
    this.bucket = bucket
    this.prefix = prefix
    this.width = maxConnections
    this.maxValueBytes = maxValueBytes
    this.driver = open.driver
    this.#where = serviceAt('S3', settings)
    this.#open = open
  }

  /** Ask for what the call reads; `take` gets the answer while the deadline still runs, to fetch its body. */
  read<O, T>(call: CallOptions, command: unknown, take: (output: O) => Promise<T>): Promise<Answer<T>> {
    return this.#within(call, false, command, take)
  }

  /** Ask for a change. */
  write<O>(call: CallOptions, command: unknown): Promise<Answer<O>> {
    return this.#within(call, true, command, (output: O) => Promise.resolve(output))
  }

  #within<O, T>(
    call: CallOptions,
    isWrite: boolean,
    command: unknown,
    take: (output: O) => Promise<T>,
  ): Promise<Answer<T>> {
    const { client, connections } = this.#open
    const failed = (error: unknown, sent: boolean) =>
      translate(error, { where: this.#where, place: this.bucket, isWrite, sent })
    if (connections !== undefined) {
      const ask = (one: HttpAttempt): Promise<Answer<T>> =>
        send(client, carrying(command as object, one), undefined, take, () => one.answer?.headers['date'])
      return connections.within(call, isWrite, ask, failed)
    }
    if (isWrite) call.sent = true
    const date = dateOfAnswer(command as Command)
    return attempt(call, isWrite, (signal) =>
      send(client, command, { abortSignal: signal }, take, date),
    ).catch((error: unknown) => {
      throw failed(error, !wasUnsent(error))
    })
  }
}

async function send<O, T>(
  client: S3Client,
  command: unknown,
  options: { readonly abortSignal: AbortSignal } | undefined,
  take: (output: O) => Promise<T>,
  date: () => string | undefined,
): Promise<Answer<T>> {
  const now = (): number => clockOf(date())
  try {
    const output: unknown = await client.send(command as Parameters<S3Client['send']>[0], options)
    return { output: await take(output as O), now }
  } catch (error) {
    const refused = refusalOf(error)
    if (refused === undefined) throw error
    return { refused, now }
  }
}

function refusalOf(error: unknown): 'absent' | 'condition' | 'empty' | undefined {
  const status = statusOf(error)
  if (status === 412) return 'condition'
  // The object is shorter than the requested range: it has no byte.
  if (status === 416) return 'empty'
  // Any other 404 is of the bucket, or of something that stands before S3: the SDK calls a page without a code NotFound.
  return status === 404 && (error as Error).name === 'NoSuchKey' ? 'absent' : undefined
}

/** The clock of the server, in whole seconds, as each of its answers tells it. */
function clockOf(date: string | undefined): number {
  const told = Date.parse(date ?? '')
  return Number.isNaN(told) ? wallClock() : told
}

/** The date of the answer to this command, once it is there, from a client with connections of its own. */
function dateOfAnswer({ middlewareStack }: Command): () => string | undefined {
  let date: string | undefined
  const middleware = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
    const result = (await next(args)) as { response?: { headers?: Readonly<Record<string, string>> } }
    date = result.response?.headers?.['date']
    return result
  }
  middlewareStack.add(middleware, { step: 'deserialize', priority: 'low', name: 'unikvDate' })
  return () => date
}
