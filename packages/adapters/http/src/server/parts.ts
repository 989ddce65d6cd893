// Parts of the server for servers that serve more than stores.

export { bytesIn } from '../protocol/wire.ts'
export { type Access, demandKey, demandRight, rights, seesStore } from './access.ts'
export { jsonAnswer } from './batch.ts'
export { Guard } from './guard.ts'
export { type HttpSettings, settingsFor } from './options.ts'
export { answerTo, badRequest, Refused } from './refused.ts'
export { type Asked, bodyIn, demandChange, jsonIn, keyOf, settingsOf } from './request.ts'
export { type Served, served } from './served.ts'
