import { s3 } from '@unikv/s3'
import { awsUrl, oneName } from './aws.ts'
import { type Opener, oneOf } from './opener.ts'

/** The bucket must be there: its name is one of the whole world, and a slip should not make another. */
export const openS3: Opener = (opening) => {
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
