export { validate } from "#common/http/validation";
