// HTTP for stores that speak it.

export { HttpAttempt } from './attempt.ts'
export {
  carrying,
  checkSendsOnce,
  handsOnAttempts,
  sendAnew,
  type Understanding,
  understands,
} from './aws-client.ts'
export {
  type AwsError,
  type AwsErrors,
  awsError,
  awsMeanings,
  serviceAt,
  statusOf,
  wasUnsent,
} from './aws-errors.ts'
export { type AwsSettings, awsClient, withFewHeaders } from './aws-made.ts'
export { type AwsCredentials, awsTable, regionOf } from './aws-options.ts'
export { type BearerToken, bearerOf, serverUrl } from './bearer.ts'
export {
  type HttpAnswer,
  type HttpAsk,
  HttpClient,
} from './client.ts'
export { HttpConnections, type HttpSettings, type HttpTls } from './connections.ts'
export { type FetchAnswer, type FetchAsk, FetchClient, jsonOf } from './fetch-client.ts'
export { oddAnswer, partLength } from './odd-answer.ts'
export type { HttpRequest } from './request.ts'
export { bodyOf, type HttpResponse } from './response.ts'
export { statusError } from './status-error.ts'
