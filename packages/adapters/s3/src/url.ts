import type { Bytes, Store } from '@unikv/core'
import { awsUrl, type Opener, oneName, oneOf } from '@unikv/core/url'
import type { S3Capabilities } from './capabilities.ts'
import { s3 } from './s3.ts'

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface S3ByScheme {
  readonly s3: Store<Bytes, S3Capabilities>
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
