import { type CallOptions, StoreError } from '@unikv/core'
import { errorTable, told } from '@unikv/core/adapter'
import { statusError } from '@unikv/core/http-client'
import type { HbaseSettings } from '../options.ts'
import { notHbase } from './cells.ts'
import type { RestAsk, RestClient, RestResponse } from './rest-client.ts'

/** One request of this store; its path is below the table. */
export interface Ask extends RestAsk {
  /** Statuses that are answers, not errors. */
  readonly expected: readonly number[]
}

/** Requests to one table, each within the deadline of its call, with errors in the words of this library. */
export class Gateway {
  readonly #rest: RestClient
  readonly #settings: HbaseSettings

  constructor(rest: RestClient, settings: HbaseSettings) {
    this.#rest = rest
    this.#settings = settings
  }

  /**
   * Ask, and resolve to an expected answer. `call.sent` is set once a write is on its way.
   *
   * @throws {StoreError}
   */
  ask(call: CallOptions, { method, path, body, isWrite, expected }: Ask): Promise<RestResponse> {
    const whole = { method, path: `/${this.#settings.table}${path}`, body, isWrite }
    return this.#rest.ask(call, whole).then((response) => {
      if (method === 'PUT' && !isSilent(response)) throw notHbase(isWrite)
      if (expected.includes(response.status) && isAnswer(response)) return response
      throw this.#refusal(response, isWrite)
    })
  }

  #refusal(response: RestResponse, isWrite: boolean): StoreError {
    const { status } = response
    const where = this.#rest.where
    if (namesNoTable(response)) return notPrepared(this.#settings.table, new Error(`HTTP status ${status}`))
    if (says(response, 'KeyValue size too large')) return statusError(meanings, 413, { where, isWrite })
    if (meanings.has(status)) return statusError(meanings, status, { where, isWrite })
    if (status < 300) return notHbase(isWrite)
    return isForeign(response) ? foreign(where, isWrite) : statusError(meanings, status, { where, isWrite })
  }
}

/** Keyed by status. */
const meanings = errorTable<number>(
  { of: [401, 403], code: 'ACCESS_DENIED', message: '{where} rejected the user or the request.' },
  {
    of: [413],
    code: 'VALUE_TOO_LARGE',
    message: 'The value is larger than hbase.client.keyvalue.maxsize or the gateway allows.',
  },
  {
    of: [429],
    code: 'OVERLOADED',
    message: '{where} accepts no more requests at the moment; nothing was changed.',
  },
)

function namesNoTable(response: RestResponse): boolean {
  return response.status === 404 && says(response, 'TableNotFoundException')
}

/** Where no row is found the gateway says so in these words; another 404 tells nothing of rows. */
function isAnswer({ status, body }: RestResponse): boolean {
  return status !== 404 || body.toString('latin1', 0, 64).trim() === 'No rows found.'
}

/** The gateway says nothing to a change that it made. */
function isSilent({ status, body, headers }: RestResponse): boolean {
  return status >= 300 || (body.length === 0 && headers['content-type'] === undefined)
}

/** A 404 of someone in between: that of the gateway names the exception. */
function isForeign(response: RestResponse): boolean {
  return response.status === 404 && !isAnswer(response) && !says(response, 'org.apache.hadoop')
}

/** Errors are text, which begins with what happened. */
function says({ body }: RestResponse, words: string): boolean {
  return body.toString('latin1', 0, 4_096).includes(words)
}

/** The error for a table that is not there. */
export function notPrepared(table: string, cause?: unknown): StoreError {
  const message = `There is no table ${table}. Call prepareHbase with these options once, or set prepare: true.`
  return new StoreError('NOT_PREPARED', message, cause === undefined ? {} : { cause })
}

function foreign(where: string, isWrite: boolean): StoreError {
  const message = `Another server answered in place of ${where} (HTTP status 404). Check the url.`
  const meaning = {
    code: 'UNAVAILABLE',
    message,
    unsettled: `${message} The write was sent`,
  } as const
  return told(meaning, Object.assign(new Error('HTTP status 404'), { code: 404 }), { where, isWrite })
}
