import type { S3Client } from '@aws-sdk/client-s3'
import {
  checkDatasetName,
  checkFactoryOptions,
  checkPositive,
  checkTls,
  invalidConfig,
  type OptionNames,
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

/** Settings of the S3 store. Without a client it opens one. */
export interface S3Options<D extends S3Durability = S3Durability, C extends S3Client = S3Client> {
  /** The bucket: `[a-z0-9.-]`, 3 to 63 characters. */
  readonly bucket: string
  /** What the names of all objects of this dataset start with, before `/!`. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly prefix?: string | undefined
  /** A ready client with `maxAttempts: 1`. It stays open when the store closes. */
  readonly client?: C | undefined
  /** Address of another S3 than that of AWS, such as `http://127.0.0.1:9000`. @default `AWS_ENDPOINT_URL_S3`, else AWS */
  readonly endpoint?: string | undefined
  /** @default that of the environment (`AWS_REGION`, profile); with `endpoint` `us-east-1` */
  readonly region?: string | undefined
  /** @default those of the environment: `AWS_ACCESS_KEY_ID` and so on, profile, role of the machine */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>) | undefined
  /** The bucket stands in the path of URLs, not in the host name. @default true with `endpoint` */
  readonly forcePathStyle?: boolean | undefined
  /** Make the bucket where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /** What acknowledged writes survive, as whoever runs the service promises it. @default 'replicated' */
  readonly durability?: D | undefined
  /** Longest value in bytes. Values are held in memory as a whole. @default 268,435,456 (256 MiB) */
  readonly maxValueBytes?: number | undefined
  /** Most connections. @default 50 */
  readonly maxConnections?: number | undefined
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS. @default those of Node */
  readonly tls?: HttpTls | undefined
  /** For errors and reports. @default 's3' */
  readonly name?: string | undefined
}

/** Options with their defaults, checked. */
export interface S3Settings {
  readonly bucket: string
  /** What stands before the name of a key: by the `!` objects are known as ours. */
  readonly prefix: string
  readonly client: S3Client | undefined
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly credentials: S3Options['credentials']
  readonly forcePathStyle: boolean
  readonly prepare: boolean
  readonly durability: S3Durability
  readonly maxValueBytes: number
  readonly maxConnections: number
  readonly queueLimit: number
  readonly tls: HttpTls | undefined
  readonly name: string
}

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
const durabilities = ['memory', 'buffered', 'flushed', 'replicated']
/** Values are held in memory, where Node makes no larger ones everywhere; one PUT would take 5 GiB. */
const mostValueBytes = 2 * 1024 ** 3

const optionNames: OptionNames<S3Options> = {
  bucket: true,
  prefix: true,
  client: true,
  endpoint: true,
  region: true,
  credentials: true,
  forcePathStyle: true,
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
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: S3Options): S3Settings {
  checkFactoryOptions('s3', options, optionNames)
  const { bucket, prefix = 'unikv', endpoint, prepare = false, durability = 'replicated' } = options
  const { maxValueBytes = 256 * 1024 * 1024, maxConnections = 50, queueLimit = 10_000 } = options
  if (typeof bucket !== 'string' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw invalidConfig('bucket must be 3 to 63 of a-z, 0-9, "." and "-".')
  checkDatasetName('prefix', prefix)
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  if (maxValueBytes > mostValueBytes) throw invalidConfig('maxValueBytes must be at most 2 GiB.')
  if (!durabilities.includes(durability))
    throw invalidConfig(`durability must be one of ${durabilities.join(', ')}.`)
  checkSource(options)
  return {
    bucket,
    prefix: `${prefix}/!`,
    client: options.client,
    endpoint,
    region: options.region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    // A copy: the SDK writes into what it is given.
    credentials: typeof options.credentials === 'object' ? { ...options.credentials } : options.credentials,
    forcePathStyle: options.forcePathStyle ?? endpoint !== undefined,
    prepare,
    durability,
    maxValueBytes,
    maxConnections,
    queueLimit,
    tls: options.tls,
    name: options.name ?? 's3',
  }
}

function checkSource(options: S3Options): void {
  const { client, endpoint, credentials } = options
  const settled = ofTheClient.find((name) => options[name] !== undefined)
  if (client !== undefined && settled !== undefined)
    throw invalidConfig(`${settled} cannot be combined with client, which has its own.`)
  if (endpoint !== undefined && !isAddress(endpoint))
    throw invalidConfig('endpoint must be an http: or https: URL without user, path or parameters.')
  checkTls('s3', options.tls)
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
