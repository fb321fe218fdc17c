import 'offerlet/element';

export default defineNuxtPlugin(() => {});
