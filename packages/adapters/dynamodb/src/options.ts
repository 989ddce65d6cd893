import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  any,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  ownClock,
  readOptions,
  whole,
} from '@unikv/core/adapter'
import { type AwsCredentials, awsTable, regionOf } from '@unikv/core/http-client'

/** An access key, as AWS gives it out. */
export interface DynamodbCredentials extends AwsCredentials {}

const table = {
  /** The table: the dataset of this store. 3 to 255 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`. @default 'unikv' */
  table: tableName,
  /**
   * A ready `DynamoDBClient`, made with `maxAttempts: 1` and the SDK's standard retry strategy (refused otherwise). It stays open
   * when the store closes. @default one of its own
   */
  client: any<DynamoDBClient>(),
  /** `bytes`: binary; `document`: maps and lists, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /** Make the table where it is missing (on demand billing), and have it remove expired items. @default false */
  prepare: flag(false),
  /** Most connections. @default 50 */
  maxConnections: whole(50),
  /** Wall clock in milliseconds, by which records expire: DynamoDB tells no time. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'dynamodb' */
  name: label('dynamodb'),
}

/** Settings of the DynamoDB store. Without a client it opens one. */
export interface DynamodbOptions<C extends DynamoDBClient = DynamoDBClient>
  extends OptionsOf<typeof table, { client: C }>,
    OptionsOf<typeof awsTable> {}

/** Options with their defaults, checked. */
export type DynamodbSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: DynamodbOptions = {}) {
  const { values, ...settings } = readOptions('dynamodb', { ...table, ...awsTable }, options)
  return { ...settings, documents: values === 'document', region: regionOf(options, ['maxConnections']) }
}

function tableName(table: string | undefined = 'unikv'): string {
  if (typeof table === 'string' && /^[a-zA-Z0-9_.-]{3,255}$/.test(table)) return table
  throw invalidConfig('table must be 3 to 255 of a-z, A-Z, 0-9, "_", "." and "-".')
}
