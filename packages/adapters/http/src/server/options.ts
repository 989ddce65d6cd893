import {
  any,
  flag,
  func,
  invalidConfig,
  ms,
  type OptionsOf,
  readOptions,
  type SettingsOf,
  texts,
  valid,
  whole,
} from '@unikv/core/adapter'
import { type Access, bearers, checkAccess, type Token } from './access.ts'

const table = {
  /**
   * `{ name, token, may, stores, namespace, prefix }`: the secrets that open it (`Authorization: Bearer …`), and what their bearers may
   * do. `may` is `read` (default), `write` or `admin`; the others limit it to some stores and keys.
   */
  tokens: valid<readonly Token[]>('be a list of { name, token }', Array.isArray),
  /** Decides by the request what its caller may do; `undefined`: nothing. */
  authorize: func<(request: Request) => Access | undefined | Promise<Access | undefined>>(),
  /** Everybody who reaches it may do everything. One of these three must be given. @default false */
  unprotected: any<boolean>(),
  /** No caller may change anything. @default false */
  readOnly: flag(false),
  /** Names by which it is reached, as in the header `Host`, without port: other names are refused, as pages of other sites use (DNS rebinding). @default all; `localhost`, `127.0.0.1` and `[::1]` if `unprotected` */
  hosts: texts(),
  /** Origins of web pages that may use it from a browser (CORS). @default none */
  origins: texts(),
  /** Most requests a second of each caller; more are answered by 429. @default no limit */
  requestsPerSecond: whole(undefined),
  /**
   * Longest body in bytes. The values of an answer with several have at most four times as much: the rest of a batch is
   * `VALUE_TOO_LARGE`, and that of a page comes with its cursor. @default 16 Mi
   */
  maxBodyBytes: whole(16_777_216),
  /**
   * Longest value that a store with `parts()` takes, in bytes: bodies of such stores are streamed both ways, in the memory of a few
   * parts. @default `maxBodyBytes`
   */
  maxStreamBytes: whole(undefined),
  /** Longest time that each MiB of a streamed body may take, in either direction, in milliseconds. @default 60000 */
  stallTimeoutMs: ms(60_000),
  /** Longest time of a call in milliseconds; callers may ask for less. @default 5000 */
  maxTimeoutMs: ms(5_000),
  /** Where it is mounted, such as `/store`, where a framework leaves the path as it is. @default '' */
  basePath: mountPath,
  /** Told of errors that are none of a store. @default ignored */
  onError: func<(error: unknown) => void>(),
}

/** Settings of a server. One of `tokens`, `authorize` and `unprotected` must be given. */
export interface HttpOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type HttpSettings = ReturnType<typeof settingsFor>

/** Names that no page of another site has: where no token is asked for, its own name could lead here (DNS rebinding). */
const ofThisMachine = ['localhost', '127.0.0.1', '[::1]']

/** @throws {StoreError} `INVALID_CONFIG`, above all without a protection that is named */
export function settingsFor(options: HttpOptions, factory = 'http') {
  const settings = readOptions(factory, table, options)
  const { maxBodyBytes, maxStreamBytes = maxBodyBytes, tokens, unprotected, onError = () => {} } = settings
  const hosts = settings.hosts ?? (unprotected === true ? ofThisMachine : undefined)
  return {
    ...settings,
    /** The rights of the caller of a request; `undefined`: nothing. */
    accessOf: accessFor(factory, settings),
    hosts: hosts?.map((host) => host.toLowerCase()),
    /** Every caller has shown one of `tokens`, so no page of another site asks in its name. */
    hasTokens: tokens !== undefined,
    origins: settings.origins ?? [],
    requestsPerSecond: settings.requestsPerSecond ?? Number.POSITIVE_INFINITY,
    maxStreamBytes,
    /** Told of errors that are none of a store. */
    hear: onError,
  }
}

function mountPath(path: string | undefined = ''): string {
  if (/^(\/[\w.~-]+)*$/.test(path)) return path
  throw invalidConfig('basePath must be a path such as /store, or nothing.')
}

function accessFor(
  factory: string,
  { tokens, authorize, unprotected }: SettingsOf<typeof table>,
): (request: Request) => Promise<Access | undefined> | Access | undefined {
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
  return async (request) => {
    const access = await authorize?.(request)
    if (access !== undefined) checkAccess(access)
    return access
  }
}
