import type { S3Client } from '@aws-sdk/client-s3'
import {
  any,
  checkFactoryOptions,
  flag,
  invalidConfig,
  label,
  type OptionNames,
  type OptionsOf,
  oneOf,
  plainName,
  readOptions,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import type { S3Durability } from './capabilities.ts'

/** An access key, as S3 or AWS gives it out. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** Values are held in memory, where Node makes no larger ones everywhere; one PUT would take 5 GiB. */
const mostValueBytes = 2 * 1024 ** 3

const table = {
  /** The bucket: 3 to 63 of `a-z`, `0-9`, `.` and `-`. */
  bucket: bucketName,
  /** The start of the names of all objects of this dataset, before `/!`. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  prefix: plainName('unikv'),
  /**
   * A ready `S3Client`, made with `maxAttempts: 1` and the SDK's standard retry strategy (refused otherwise). It stays open when
   * the store closes. @default one of its own
   */
  client: any<S3Client>(),
  /** Address of another S3 than that of AWS, such as `http://127.0.0.1:9000`. @default `AWS_ENDPOINT_URL_S3`, else AWS */
  endpoint: any<string>(),
  /** @default that of the environment (`AWS_REGION`, profile); with `endpoint` `us-east-1` */
  region: any<string>(),
  /**
   * `{ accessKeyId, secretAccessKey, sessionToken }`, or a function that gives them.
   * @default those of the environment: `AWS_ACCESS_KEY_ID` and so on, profile, role of the machine
   */
  credentials: any<S3Credentials | (() => Promise<S3Credentials>)>(),
  /** The bucket stands in the path of URLs, not in the host name. @default true with `endpoint` */
  forcePathStyle: flag(undefined),
  /** Make the bucket where it is missing. @default false */
  prepare: flag(false),
  /** The failures that acknowledged writes survive, as the operator of the service promises; the service cannot be asked. @default 'replicated' */
  durability: oneOf<S3Durability>('replicated', ['memory', 'buffered', 'flushed', 'replicated']),
  /** Longest value in bytes. Values are held in memory as a whole, on their way out twice. @default 268,435,456 (256 MiB) */
  maxValueBytes: whole(268_435_456, 1, mostValueBytes),
  /** Most connections, and most requests of one batch at a time. @default 50 */
  maxConnections: whole(50),
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node */
  tls: tls<HttpTls>(),
  /** For errors and reports. @default 's3' */
  name: label('s3'),
}

/** Settings of the S3 store. Without a client it opens one. */
export interface S3Options<D extends S3Durability = S3Durability, C extends S3Client = S3Client>
  extends OptionsOf<typeof table, { durability: D; client: C }> {}

/** Options with their defaults, checked. `prefix` ends in `/!`, by which objects are known as ours. */
export type S3Settings = ReturnType<typeof settingsOf>

/** Options that a client has already settled. */
const ofTheClient = [
  'endpoint',
  'region',
  'credentials',
  'forcePathStyle',
  'maxConnections',
  'queueLimit',
  'tls',
] as const

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: S3Options) {
  const settings = readOptions('s3', table, options)
  checkSource(options)
  const { prefix, endpoint, region, credentials, forcePathStyle } = settings
  return {
    ...settings,
    prefix: `${prefix}/!`,
    region: region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    // A copy: the SDK writes into what it is given.
    credentials: typeof credentials === 'object' ? { ...credentials } : credentials,
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
  }
}

function bucketName(bucket: string): string {
  if (typeof bucket === 'string' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return bucket
  throw invalidConfig('bucket must be 3 to 63 of a-z, 0-9, "." and "-".')
}

function checkSource(options: S3Options): void {
  const { client, endpoint, credentials } = options
  const settled = ofTheClient.find((name) => options[name] !== undefined)
  if (client !== undefined && settled !== undefined)
    throw invalidConfig(`${settled} cannot be combined with client, which has its own.`)
  if (endpoint !== undefined && !isAddress(endpoint))
    throw invalidConfig('endpoint must be an http: or https: URL without user, path or parameters.')
  if (credentials !== undefined && typeof credentials !== 'function') checkCredentials(credentials)
}

function isAddress(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(endpoint)
  return /^https?:$/.test(protocol) && username + password + search + hash === '' && pathname === '/'
}

/** The last four are in credentials that the AWS SDK has read itself, or has been given before. */
const credentialNames: OptionNames<
  S3Credentials & Record<'expiration' | 'accountId' | 'credentialScope' | '$source', unknown>
> = {
  accessKeyId: true,
  secretAccessKey: true,
  sessionToken: true,
  expiration: true,
  accountId: true,
  credentialScope: true,
  $source: true,
}

function checkCredentials(credentials: S3Credentials): void {
  checkFactoryOptions('s3.credentials', credentials, credentialNames)
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  if (![accessKeyId, secretAccessKey, sessionToken ?? 'none'].every(isText))
    throw invalidConfig(
      'credentials needs accessKeyId and secretAccessKey as strings; sessionToken must be a string too.',
    )
}

function isText(part: unknown): boolean {
  return typeof part === 'string' && part !== ''
}
