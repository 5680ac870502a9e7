/** For --controllers: those that keep the system's own objects, and no others. */
export const systemControllers =
  'systemnamespaces,legacytokentracking,systempriorityclasses,flowcontrol,clusterauthenticationtrust,' +
  'kubernetesservice,servicecidr';
