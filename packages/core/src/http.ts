// HTTP for stores that speak it.
export {
  carrying,
  checkSendsOnce,
  handsOnAttempts,
  sendAnew,
  type Understanding,
  understands,
} from './aws-client.ts'
export { HttpAttempt } from './http-attempt.ts'
export {
  type HttpAnswer,
  type HttpAsk,
  HttpClient,
} from './http-client.ts'
export { HttpConnections, type HttpSettings, type HttpTls } from './http-connections.ts'
export type { HttpRequest } from './http-request.ts'
export { bodyOf, type HttpResponse } from './http-response.ts'
export { oddAnswer, partLength } from './odd-answer.ts'
