import type { S3Client } from '@aws-sdk/client-s3'
import type { CallOptions } from '@unikv/core'
import type { Requests } from './client/requests.ts'

/** Make the bucket, unless it is there. */
export async function makeBucket(requests: Requests, client: S3Client, call: CallOptions): Promise<void> {
  const { driver, bucket } = requests
  if (await isThere(requests, call)) return
  const region = await client.config.region()
  await requests
    .write(call, new driver.CreateBucketCommand({ Bucket: bucket, ...placeIn(region) }))
    .catch((error: unknown) => {
      if (!wasMadeMeanwhile(error)) throw error
    })
}

async function isThere(requests: Requests, call: CallOptions): Promise<boolean> {
  const { driver, bucket } = requests
  const command = new driver.HeadBucketCommand({ Bucket: bucket })
  try {
    return (await requests.read(call, command, async () => true)).refused === undefined
  } catch (error) {
    // The answer to a HEAD has no body, and so no code of S3.
    if (nameOfCause(error) !== 'NotFound') throw error
    return false
  }
}

/** The first region of AWS is the default, and may not be named. */
function placeIn(region: string): object {
  return region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: region } }
}

function wasMadeMeanwhile(error: unknown): boolean {
  return nameOfCause(error) === 'BucketAlreadyOwnedByYou'
}

function nameOfCause(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: unknown }
  return (cause as Error | undefined)?.name
}
