import {
  checkDatasetName,
  checkFactoryOptions,
  checkPositive,
  checkTls,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { bytesPerByte, maxNameBytes } from './object-name.ts'

/** User and key of the first protocol (tempauth, swauth, many gateways). */
export interface SwiftV1Auth {
  /** Such as `https://swift.example.org/auth/v1.0`. */
  readonly url: string | URL
  /** Such as `account:user`. */
  readonly user: string
  readonly key: string
}

/** A user with a password, or an application credential, of Keystone's version 3. */
export interface SwiftV3Auth {
  /** Such as `https://keystone.example.org:5000/v3`. */
  readonly url: string | URL
  /** Name of the user. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Domain of the user, by name. @default 'Default' */
  readonly userDomain?: string | undefined
  /** Name of the project. */
  readonly project?: string | undefined
  /** Domain of the project, by name. @default that of the user */
  readonly projectDomain?: string | undefined
  /** In place of user, password and project. */
  readonly applicationCredential?: { readonly id: string; readonly secret: string } | undefined
  /** Region of the object store in the catalog. @default the first one */
  readonly region?: string | undefined
  /** Which of its addresses. @default 'public' */
  readonly interface?: 'public' | 'internal' | 'admin' | undefined
}

/** How to sign in. */
export type SwiftAuth = { readonly v1: SwiftV1Auth } | { readonly v3: SwiftV3Auth }

/** The failures that an acknowledged write survives. */
export type SwiftDurability = 'buffered' | 'flushed' | 'replicated'

/** Settings of the Swift store. */
export interface SwiftOptions {
  readonly auth: SwiftAuth
  /** Address of the account, in place of the one that signing in gives. */
  readonly storageUrl?: string | URL | undefined
  /** `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly container?: string | undefined
  /** What stands, with a `/`, before the names of the objects: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly prefix?: string | undefined
  /** Make the container where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /** What acknowledged writes survive, as the cluster is set up: Swift answers when most of the copies are on disk. @default 'replicated' */
  readonly durability?: SwiftDurability | undefined
  /** Longest value in bytes. @default 268,435,456 */
  readonly maxValueBytes?: number | undefined
  /** Most connections. @default 32 */
  readonly maxConnections?: number | undefined
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS. @default those of Node.js */
  readonly tls?: HttpTls | undefined
  /** For errors and reports. @default 'swift' */
  readonly name?: string | undefined
}

/** Options with their defaults, checked. */
export interface SwiftSettings {
  readonly auth: SwiftAuth
  readonly authUrl: URL
  readonly storageUrl: URL | undefined
  readonly container: string
  readonly prefix: string
  readonly prepare: boolean
  readonly durability: SwiftDurability
  readonly maxKeyBytes: number
  readonly maxValueBytes: number
  readonly maxConnections: number
  readonly queueLimit: number
  readonly tls: HttpTls | undefined
  readonly name: string
}

const optionNames: OptionNames<SwiftOptions> = {
  auth: true,
  storageUrl: true,
  container: true,
  prefix: true,
  prepare: true,
  durability: true,
  maxValueBytes: true,
  maxConnections: true,
  queueLimit: true,
  tls: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without user or key
 */
export function settingsOf(options: SwiftOptions): SwiftSettings {
  checkFactoryOptions('swift', options, optionNames)
  const { auth, container = 'unikv', prefix = 'unikv', prepare = false, durability = 'replicated' } = options
  const { maxValueBytes = 268_435_456, maxConnections = 32, queueLimit = 10_000 } = options
  const { storageUrl, tls, name = 'swift' } = options
  checkDatasetName('container', container)
  checkDatasetName('prefix', prefix)
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  checkTls('swift', tls)
  check(durabilities.includes(durability), `durability must be one of: ${durabilities.join(', ')}.`)
  return {
    auth,
    authUrl: authUrlOf(auth),
    storageUrl: storageUrl === undefined ? undefined : httpUrl('storageUrl', storageUrl),
    container,
    prefix,
    prepare,
    durability,
    maxKeyBytes: Math.floor((maxNameBytes - 49) / bytesPerByte),
    maxValueBytes,
    maxConnections,
    queueLimit,
    tls,
    name,
  }
}

const durabilities: readonly string[] = ['buffered', 'flushed', 'replicated']

const v1Names: OptionNames<SwiftV1Auth> = { url: true, user: true, key: true }
const v3Names: OptionNames<SwiftV3Auth> = {
  url: true,
  user: true,
  password: true,
  userDomain: true,
  project: true,
  projectDomain: true,
  applicationCredential: true,
  region: true,
  interface: true,
}

const credentialNames: OptionNames<NonNullable<SwiftV3Auth['applicationCredential']>> = {
  id: true,
  secret: true,
}

function authUrlOf(auth: Partial<Record<'v1', SwiftV1Auth> & Record<'v3', SwiftV3Auth>> | undefined): URL {
  checkFactoryOptions('swift.auth', auth, { v1: true, v3: true })
  const { v1, v3 } = auth ?? {}
  checkFactoryOptions('swift.auth.v1', v1, v1Names)
  checkFactoryOptions('swift.auth.v3', v3, v3Names)
  checkFactoryOptions('swift.auth.v3.applicationCredential', v3?.applicationCredential, credentialNames)
  check((v1 === undefined) !== (v3 === undefined), 'auth must be { v1: … } or { v3: … }.')
  if (v1 !== undefined) {
    check(isText(v1.user) && isText(v1.key), 'auth.v1 needs url, user and key.')
    return httpUrl('auth.v1.url', v1.url)
  }
  const { url, user, password, project, applicationCredential: credential } = v3 as SwiftV3Auth
  const byPassword = isText(user) && isText(password) && isText(project)
  const byCredential = isText(credential?.id) && isText(credential?.secret)
  check(
    byPassword !== byCredential,
    'auth.v3 needs url with user, password and project, or with applicationCredential { id, secret }.',
  )
  return httpUrl('auth.v3.url', url)
}

function httpUrl(option: string, given: string | URL): URL {
  const text = String(given)
  check(URL.canParse(text) && /^https?:/i.test(text), `${option} must be a URL of http:// or https://.`)
  const url = new URL(text)
  check(url.username === '' && url.password === '', `${option} must not hold user or password.`)
  return url
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
