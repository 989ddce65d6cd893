import { StoreError } from '@unikv/core'
import { dynamodb } from '@unikv/dynamodb'
import { awsUrl, oneName } from './aws.ts'
import type { Opener } from './opener.ts'

export const openDynamodb: Opener = (opening) => {
  const { dataset, name } = opening
  const { place, behind, region, endpoint, credentials } = awsUrl(opening, [])
  if (behind !== '')
    throw new StoreError('INVALID_CONFIG', 'A dynamodb URL names a table, and nothing behind it.')
  return dynamodb({
    table: oneName('dynamodb', place, dataset),
    region,
    endpoint,
    credentials,
    prepare: true,
    name,
  })
}
