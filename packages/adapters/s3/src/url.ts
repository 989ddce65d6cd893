import type { Bytes, Capabilities, Store } from '@unikv/core'
import { awsUrl, type Opener, oneName, oneOf } from '@unikv/core/url'
import { s3 } from './s3.ts'

// As the adapter declares them, and repeated here: its own types need those of the driver, which may not be installed;
// `open.test.ts` of @unikv/stores compares.

/** Capabilities of `open('s3://…')`. */
export interface S3UrlCapabilities extends Capabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1_000 }
  readonly touch: false
  readonly increment: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface S3ByScheme {
  readonly s3: Store<Bytes, S3UrlCapabilities>
}

/** Makes the store of a URL of S3. The bucket must exist: names are global, so a slip must not create another one. */
export const openS3: Opener<S3ByScheme> = (opening) => {
  const { parameters, dataset, name } = opening
  const { place, behind, region, endpoint, credentials } = awsUrl(opening, ['durability'])
  return s3({
    bucket: place,
    prefix: oneName('s3', behind, dataset),
    region,
    endpoint,
    credentials,
    durability: oneOf(parameters, 'durability', ['replicated', 'flushed', 'buffered', 'memory']),
    name,
  })
}
