import type { S3Client } from '@aws-sdk/client-s3'

/** What the SDK tells Amazon of itself with each request. */
const ofTheSdk = ['amz-sdk-invocation-id', 'amz-sdk-request', 'x-amz-user-agent']

/**
 * Leave out, before requests are signed, what no server needs: half of a request that has no body. What asks for the
 * first bytes alone asks for no checksum either, as there is one of the whole object only.
 */
export function withFewHeaders(client: S3Client): S3Client {
  const place = {
    name: 'unikvFewHeaders',
    relation: 'before',
    toMiddleware: 'httpSigningMiddleware',
  } as const
  client.middlewareStack.addRelativeTo(fewer, place)
  return client
}

function fewer<A extends { readonly request: unknown }, R>(next: (args: A) => R): (args: A) => R {
  return (args) => {
    const { headers } = args.request as { readonly headers: Record<string, string> }
    for (const name of ofTheSdk) delete headers[name]
    if (headers['range'] !== undefined) delete headers['x-amz-checksum-mode']
    headers['user-agent'] = 'unikv'
    return next(args)
  }
}
