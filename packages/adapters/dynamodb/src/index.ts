export type { DynamodbCapabilities } from './capabilities.ts'
export { type DynamodbNative, type DynamodbStore, dynamodb, prepareDynamodb } from './dynamodb.ts'
export type { DynamodbCredentials, DynamodbOptions } from './options.ts'
