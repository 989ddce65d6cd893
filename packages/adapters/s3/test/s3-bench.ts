import { S3Client } from '@aws-sdk/client-s3'
import type { S3Options } from '../src/index.ts'
import { encodeName } from '../src/object-name.ts'

export const bucket = 'unikv-tests'
let datasets = 0

/** Options for the server of a URL that holds its access key. */
export function optionsFor(url: string) {
  const { origin, username, password } = new URL(url)
  return {
    bucket,
    endpoint: origin,
    credentials: { accessKeyId: username, secretAccessKey: password },
    prepare: true,
    maxValueBytes: 4 * 1024 * 1024,
  } as const satisfies S3Options
}

/** A client of the test's own. */
export function clientFor(url: string, maxAttempts = 1): S3Client {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
  const { endpoint, credentials } = optionsFor(url)
  return new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true, maxAttempts })
}

/** A prefix that nobody else uses. */
export function freshPrefix(): string {
  return `test_${process.pid}_${Date.now().toString(36)}_${datasets++}`
}

/** The name of the object of a key. */
export function objectName(prefix: string, key: string): string {
  return `${prefix}/!${encodeName(key)}`
}
