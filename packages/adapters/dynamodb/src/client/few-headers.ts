import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** What the SDK tells Amazon of itself with each request. */
const ofTheSdk = ['amz-sdk-invocation-id', 'amz-sdk-request', 'x-amz-user-agent']

/** Leave out, before requests are signed, what no server needs: a third of a small one. */
export function withFewHeaders(client: DynamoDBClient): DynamoDBClient {
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
    headers['user-agent'] = 'unikv'
    return next(args)
  }
}
