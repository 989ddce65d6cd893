import type { S3Client } from '@aws-sdk/client-s3'
import type { Bytes, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { S3Capabilities, S3Durability } from './capabilities.ts'
import type { S3Native } from './client/s3-client.ts'
import { openStore } from './open.ts'
import { type S3Options, settingsOf } from './options.ts'

/** The S3 store: what it promises and its native client depend on the options. */
export type S3Store<O extends S3Options = S3Options> = Store<
  Bytes,
  S3Capabilities<Chosen<O, 'durability', S3Durability, 'replicated'>>,
  O extends { readonly client: infer C extends S3Client } ? C : S3Native
>

/**
 * Objects of a bucket in Amazon S3 and compatible services, by @aws-sdk/client-s3. Nothing is loaded or connected before the
 * first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function s3<const O extends S3Options>(options: O): S3Store<O> {
  return openStore(settingsOf(options)) as unknown as S3Store<O>
}

/**
 * Make the bucket of these options, if it is missing: as `prepare: true` does on first use, for deployments where
 * the application may not make buckets.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareS3(options: S3Options): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }))
}
