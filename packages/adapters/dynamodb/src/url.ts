import { type Bytes, type Store, StoreError } from '@unikv/core'
import { awsUrl, type Opener, oneName } from '@unikv/core/url'
import type { DynamodbCapabilities } from './capabilities.ts'
import { dynamodb } from './dynamodb.ts'

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface DynamodbByScheme {
  readonly dynamodb: Store<Bytes, DynamodbCapabilities<false>>
}

/** Makes the store of a URL of DynamoDB. */
export const openDynamodb: Opener<DynamodbByScheme> = (opening) => {
  const { dataset, name, prepare } = opening
  const { place, behind, region, endpoint, credentials } = awsUrl(opening, [])
  if (behind !== '') throw new StoreError('INVALID_CONFIG', 'A dynamodb URL must end with the table name.')
  return dynamodb({
    table: oneName('dynamodb', place, dataset),
    region,
    endpoint,
    credentials,
    prepare,
    name,
  })
}
