import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Bytes, Json, Store } from '@unikv/core'
import { openOnce } from '@unikv/core/adapter'
import type { DynamodbCapabilities } from './capabilities.ts'
import type { DynamodbNative } from './client/dynamodb-client.ts'
import { openStore } from './open.ts'
import { type DynamodbOptions, settingsOf } from './options.ts'
import { bytesForm, documentForm } from './value-form.ts'

/** The DynamoDB store: what it holds and its native client depend on the options. */
export type DynamodbStore<O extends DynamodbOptions = DynamodbOptions> = Store<
  O extends { readonly values: 'document' } ? Json : Bytes,
  DynamodbCapabilities<O extends { readonly values: 'document' } ? true : false>,
  O extends { readonly client: infer C extends DynamoDBClient } ? C : DynamodbNative
>

/**
 * A table in Amazon DynamoDB, by @aws-sdk/client-dynamodb. Nothing is loaded or connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function dynamodb<const O extends DynamodbOptions>(options: O): DynamodbStore<O> {
  const settings = settingsOf(options)
  const store = settings.documents ? openStore(settings, documentForm) : openStore(settings, bytesForm)
  return store as unknown as DynamodbStore<O> // the options say which of the two it is
}

/**
 * Make the table of these options, if it is missing, and have it remove expired items: as `prepare: true` does on
 * first use, for deployments where the application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareDynamodb(options: DynamodbOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }, bytesForm))
}
