import { type CallOptions, StoreError } from '@unikv/core'
import { unanswered } from '@unikv/core/adapter'
import { type FetchAnswer, FetchClient, jsonOf, oddAnswer } from '@unikv/core/http-client'
import { isError } from '@unikv/core/platform'
import type { RedisConnection, RedisPipeline } from '../client/redis-client.ts'
import { bulkOrNull, textOf } from '../client/replies.ts'
import type { UpstashSettings } from './options.ts'
import { type KnownScripts, type RestCommand, wordsOf } from './rest-commands.ts'
import { isRefusal, isResult, replyError, replyOf } from './rest-replies.ts'

/** The database, which all calls share. */
export class RestDatabase {
  readonly settings: UpstashSettings
  readonly scripts: KnownScripts = new Map()
  readonly fetch: FetchClient
  /** Tells a replica which writes this process has made, so that it answers with them. */
  syncToken = ''

  constructor(settings: UpstashSettings) {
    this.settings = settings
    this.fetch = new FetchClient(settings.where, settings.maxConcurrent, settings.send)
  }

  /** A connection for one call. */
  connection(call: CallOptions, isWrite: boolean): RestConnection {
    return new RestConnection(this, call, isWrite)
  }
}

/** A connection to Redis whose commands travel by HTTP: those of one call, within its deadline. */
export class RestConnection implements RedisConnection {
  readonly status = 'ready'
  readonly options = {}
  readonly #database: RestDatabase
  readonly #call: CallOptions
  readonly #isWrite: boolean

  constructor(database: RestDatabase, call: CallOptions, isWrite: boolean) {
    this.#database = database
    this.#call = call
    this.#isWrite = isWrite
  }

  async getBuffer(key: string): Promise<Buffer | null> {
    return bulkOrNull(await this.callBuffer('get', [key]))
  }

  async callBuffer(name: string, args: (string | Buffer)[]): Promise<unknown> {
    if (name === 'info') return this.#info(args)
    const [reply] = await this.#exchange([{ name, args }])
    if (isError(reply)) throw reply
    return reply
  }

  pipeline(): RedisPipeline {
    const commands: RestCommand[] = []
    return {
      callBuffer: (name, args) => commands.push({ name, args }),
      exec: async () => {
        const replies = await this.#exchange(commands)
        return replies.map((reply) => (isError(reply) ? [reply, undefined] : [null, reply]))
      },
    }
  }

  async connect(): Promise<void> {}

  disconnect(): void {}

  on(): void {}

  off(): void {}

  /** Upstash does not tell of the runs of its servers, so a cursor is taken for one of the same run. */
  async #info(args: readonly string[] | (string | Buffer)[]): Promise<string> {
    const [reply] = await this.#exchange([{ name: 'info', args }])
    const told = isError(reply) ? '' : textOf(reply)
    return /^run_id:\w/m.test(told) ? told : 'run_id:unknown'
  }

  /** Replies and refusals, aligned with the commands. A script that is not known is one that the server does not know. */
  async #exchange(commands: readonly RestCommand[]): Promise<readonly unknown[]> {
    const words = commands.map((command) => wordsOf(command, this.#database.scripts))
    const sent = words.filter((one) => one !== undefined)
    const replies = sent.length === 0 ? [] : await this.#asked(sent)
    let at = 0
    return words.map((one) => (one === undefined ? replyError('NOSCRIPT') : replies[at++]))
  }

  #asked(commands: readonly (readonly string[])[]): Promise<readonly unknown[]> {
    const isOne = commands.length === 1
    const { settings, fetch, syncToken } = this.#database
    const body = JSON.stringify(isOne ? commands[0] : commands)
    return fetch.ask(
      this.#call,
      this.#isWrite,
      async () => ({
        method: 'POST',
        url: `${settings.address}${isOne ? '' : '/pipeline'}`,
        headers: {
          authorization: await settings.authorization(),
          'content-type': 'application/json',
          'upstash-encoding': 'base64',
          'upstash-sync-token': syncToken === '' ? undefined : syncToken,
        },
        body,
      }),
      (answer) => this.#understood(answer, commands.length),
    )
  }

  #understood(answer: FetchAnswer, count: number): readonly unknown[] {
    const { status, headers } = answer
    const said = jsonOf(answer.body)
    const results = count === 1 ? [said] : said
    if (status === 200 || status === 400) {
      if (status === 400 && isRefusal(said)) return Array.from({ length: count }, () => replyOf(said))
      if (status === 200 && Array.isArray(results) && results.length === count && results.every(isResult)) {
        this.#database.syncToken = headers.get('upstash-sync-token') ?? this.#database.syncToken
        return results.map(replyOf)
      }
    }
    throw this.#refused(status, said)
  }

  /** The error for an answer without replies. */
  #refused(status: number, said: unknown): StoreError {
    const { where } = this.#database.settings
    if (!isRefusal(said)) return oddAnswer(where, "Upstash's REST interface", this.#isWrite)
    if (status === 401 || status === 403)
      return new StoreError('ACCESS_DENIED', `${where} rejected the token.`)
    if (status === 429) return new StoreError('OVERLOADED', `${where} takes no more requests now.`)
    if (status === 413) return new StoreError('VALUE_TOO_LARGE', `${where} takes no request of this length.`)
    return unanswered(where, this.#isWrite, new Error(`status ${status}`))
  }
}
