// HTTP for stores that speak it.
export { carrying, handsOnAttempts, sendAnew } from './aws-client.ts'
export {
  type HttpAnswer,
  type HttpAsk,
  HttpClient,
} from './http-client.ts'
export { HttpAttempt, HttpConnections, type HttpSettings, type HttpTls } from './http-connections.ts'
export { bodyOf, type HttpRequest, type HttpResponse } from './http-message.ts'
