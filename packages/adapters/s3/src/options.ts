import type { S3Client } from '@aws-sdk/client-s3'
import {
  any,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  plainName,
  readOptions,
  whole,
} from '@unikv/core/adapter'
import { type AwsCredentials, awsTable, regionOf } from '@unikv/core/http-client'
import type { S3Durability } from './capabilities.ts'

/** An access key, as S3 or AWS gives it out. */
export interface S3Credentials extends AwsCredentials {}

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
  /** For errors and reports. @default 's3' */
  name: label('s3'),
}

/** Settings of the S3 store. Without a client it opens one. */
export interface S3Options<D extends S3Durability = S3Durability, C extends S3Client = S3Client>
  extends OptionsOf<typeof table, { durability: D; client: C }>,
    OptionsOf<typeof awsTable> {}

/** Options with their defaults, checked. `prefix` ends in `/!`, by which objects are known as ours. */
export type S3Settings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: S3Options) {
  const settings = readOptions('s3', { ...table, ...awsTable }, options)
  return {
    ...settings,
    prefix: `${settings.prefix}/!`,
    region: regionOf(options, ['forcePathStyle', 'maxConnections']),
    forcePathStyle: settings.forcePathStyle ?? settings.endpoint !== undefined,
  }
}

function bucketName(bucket: string): string {
  if (typeof bucket === 'string' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return bucket
  throw invalidConfig('bucket must be 3 to 63 of a-z, 0-9, "." and "-".')
}
