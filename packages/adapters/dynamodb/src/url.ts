import { type Bytes, type Capabilities, type Store, StoreError } from '@unikv/core'
import { awsUrl, type Opener, oneName } from '@unikv/core/url'
import { dynamodb } from './dynamodb.ts'

// As the adapter declares them, and repeated here: its own types need those of the driver, which may not be installed;
// `open.test.ts` of @unikv/stores compares.

/** Capabilities of `open('dynamodb://…')`. */
export interface DynamodbUrlCapabilities extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly touch: true
  readonly increment: true
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface DynamodbByScheme {
  readonly dynamodb: Store<Bytes, DynamodbUrlCapabilities>
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
