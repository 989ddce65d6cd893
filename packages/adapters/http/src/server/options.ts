import {
  checkFactoryOptions,
  checkMs,
  checkPositive,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import { type Access, bearers, checkAccess, type Token } from './access.ts'
import type { Limits } from './request.ts'

/** Settings of a server. One of `tokens`, `authorize` and `unprotected` must be given. */
export interface HttpOptions {
  /** The secrets that open it, each with what its bearer may do: `Authorization: Bearer …`. */
  readonly tokens?: readonly Token[] | undefined
  /** Decides by the request what its caller may do; `undefined`: nothing. */
  readonly authorize?: ((request: Request) => Access | undefined | Promise<Access | undefined>) | undefined
  /** Everybody who reaches it may do everything. @default false */
  readonly unprotected?: boolean | undefined
  /** No caller may change anything. @default false */
  readonly readOnly?: boolean | undefined
  /** Names by which it is reached, as in the header `Host`, without port: other names are refused, as pages of other sites use. @default all; those of this machine if `unprotected` */
  readonly hosts?: readonly string[] | undefined
  /** Origins of web pages that may use it from a browser. @default none */
  readonly origins?: readonly string[] | undefined
  /** Most requests a second of each caller; more are refused. @default no limit */
  readonly requestsPerSecond?: number | undefined
  /** Longest body in bytes; the values of an answer with several have at most four times as much. @default 16 Mi */
  readonly maxBodyBytes?: number | undefined
  /** Longest value that a store with `parts()` takes as a stream, in bytes: it needs the memory of a few parts. @default maxBodyBytes */
  readonly maxStreamBytes?: number | undefined
  /** Longest time that each MiB of a streamed body may take, in either direction, in milliseconds. @default 60000 */
  readonly stallTimeoutMs?: number | undefined
  /** Longest time of a call in milliseconds; callers may ask for less. @default 5000 */
  readonly maxTimeoutMs?: number | undefined
  /** Where it is mounted, such as `/store`. @default '' */
  readonly basePath?: string | undefined
  /** Told of errors that are none of a store. @default ignored */
  readonly onError?: ((error: unknown) => void) | undefined
}

const optionNames: OptionNames<HttpOptions> = {
  tokens: true,
  authorize: true,
  unprotected: true,
  readOnly: true,
  hosts: true,
  origins: true,
  requestsPerSecond: true,
  maxBodyBytes: true,
  maxStreamBytes: true,
  stallTimeoutMs: true,
  maxTimeoutMs: true,
  basePath: true,
  onError: true,
}

/** Options with their defaults, checked. */
export interface HttpSettings extends Limits {
  /** The rights of the caller of a request; `undefined`: nothing. */
  accessOf(request: Request): Promise<Access | undefined> | Access | undefined
  readonly hosts: readonly string[] | undefined
  /** Every caller has shown one of `tokens`, so no page of another site asks in its name. */
  readonly hasTokens: boolean
  readonly origins: readonly string[]
  readonly requestsPerSecond: number
  readonly basePath: string
  /** Told of errors that are none of a store. */
  readonly hear: (error: unknown) => void
}

/** Names that no page of another site has: where no token is asked for, its own name could lead here (DNS rebinding). */
const ofThisMachine = ['localhost', '127.0.0.1', '[::1]']

/** @throws {StoreError} `INVALID_CONFIG`, above all without a protection that is named */
export function settingsFor(options: HttpOptions, factory = 'http'): HttpSettings {
  checkFactoryOptions(factory, options, optionNames)
  const { maxBodyBytes = 16_777_216, maxTimeoutMs = 5_000, requestsPerSecond, basePath = '' } = options
  const { maxStreamBytes = maxBodyBytes, stallTimeoutMs = 60_000 } = options
  checkMs({ maxTimeoutMs, stallTimeoutMs })
  checkPositive({
    maxBodyBytes,
    maxStreamBytes,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  })
  if (!/^(\/[\w.~-]+)*$/.test(basePath))
    throw invalidConfig('basePath must be a path such as /store, or nothing.')
  const { readOnly = false, hosts, origins = [], onError = () => {} } = options
  return {
    accessOf: accessFor(factory, options),
    readOnly,
    hosts: (hosts ?? (options.unprotected === true ? ofThisMachine : undefined))?.map((host) =>
      host.toLowerCase(),
    ),
    hasTokens: options.tokens !== undefined,
    origins,
    requestsPerSecond: requestsPerSecond ?? Number.POSITIVE_INFINITY,
    maxBodyBytes,
    maxStreamBytes,
    stallTimeoutMs,
    maxTimeoutMs,
    basePath,
    hear: onError,
  }
}

function accessFor(
  factory: string,
  { tokens, authorize, unprotected }: HttpOptions,
): HttpSettings['accessOf'] {
  const given = [tokens, authorize, unprotected === true ? true : undefined].filter(
    (one) => one !== undefined,
  )
  if (given.length !== 1)
    throw invalidConfig(
      `${factory}() needs one of tokens, authorize, and unprotected: true, which lets everybody do everything.`,
    )
  if (unprotected === true) return () => ({ name: 'everybody', may: 'admin' })
  if (tokens !== undefined) {
    if (tokens.length === 0) throw invalidConfig('tokens must hold at least one token.')
    const find = bearers(tokens)
    return ({ headers }) => find(headers.get('authorization') ?? undefined)
  }
  if (typeof authorize !== 'function') throw invalidConfig('authorize must be a function of the request.')
  return async (request) => {
    const access = await authorize(request)
    if (access !== undefined) checkAccess(access)
    return access
  }
}
